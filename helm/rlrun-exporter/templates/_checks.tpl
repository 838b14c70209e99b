{{/* What the schema cannot say, or says in words that help nobody. */}}
{{- define "rlrun.checks" -}}
{{- if not .Values.logs -}}
{{- fail "\n\nlogs: say where the logs are, for instance\n  --set 'logs[0].hostPath=/data/runs'              a directory of the nodes\n  --set 'logs[0].existingClaim=training-logs'      a PersistentVolumeClaim\n  --set 'logs[0].nfs.server=nas,logs[0].nfs.path=/runs'\n" -}}
{{- end -}}
{{- $names := list -}}
{{- $paths := list -}}
{{- $taken := list -}}
{{- if .Values.cache.enabled -}}{{- $taken = append $taken "/var/cache/rlrun_exporter" -}}{{- end -}}
{{- range .Values.extraVolumeMounts -}}{{- $taken = append $taken (tpl .mountPath $ | clean) -}}{{- end -}}
{{- range $i, $mount := (include "rlrun.logs" . | fromYaml).mounts -}}
{{- $path := $mount.path -}}
{{- if has $mount.name $names -}}{{- fail (printf "logs[%d].name: %s is there twice" $i $mount.name) -}}{{- end -}}
{{- if has $path $paths -}}{{- fail (printf "logs[%d].mountPath: %s is there twice" $i $path) -}}{{- end -}}
{{- if has $path $taken -}}{{- fail (printf "logs[%d].mountPath: %s is the cache or one of extraVolumeMounts as well" $i $path) -}}{{- end -}}
{{- if contains ":" $path -}}{{- fail (printf "logs[%d].mountPath: a mount must not hold a colon, as %s does; give another mountPath" $i $path) -}}{{- end -}}
{{- if regexMatch "^/((usr|etc|bin|sbin|lib|lib64|proc|sys|dev)(/.*)?|var|run)?$" $path -}}
{{- fail (printf "logs[%d].mountPath: a mount at %s would hide what the exporter needs; give another mountPath" $i $path) -}}
{{- end -}}
{{- $names = append $names $mount.name -}}
{{- $paths = append $paths $path -}}
{{- end -}}
{{- range .Values.extraVolumeMounts -}}{{- $paths = append $paths (tpl .mountPath $ | clean) -}}{{- end -}}
{{- range $i, $volume := .Values.extraVolumes -}}
{{- if has (tpl ($volume.name | default "") $) (concat $names (list "config" "web-config" "cache")) -}}
{{- fail (printf "extraVolumes[%d].name: %s is the chart's own" $i $volume.name) -}}
{{- end -}}
{{- end -}}
{{- $own := dict "--config.file" "config or existingConfig" "--shard" "shards" "--export" "export" "--cache.dir" "cache" "--log.level" "log.level" "--log.format" "log.format" "--web.config.file" "webConfig" "--web.external-url" "externalUrl" "--web.telemetry-path" "telemetryPath" "--web.show-log-text" "pages.showLogText" "--web.grafana-url" "pages.grafanaUrl" "--web.runbook-url" "pages.runbookUrl" "--web.enable-lifecycle" "enableLifecycle" -}}
{{- range $i, $arg := .Values.extraArgs -}}
{{- $flag := regexReplaceAll "=.*" (tpl $arg $) "" -}}
{{- if hasKey $own $flag -}}{{- fail (printf "extraArgs[%d]: for %s there is the value %s" $i $flag (get $own $flag)) -}}{{- end -}}
{{- end -}}
{{- if ne (int (.Values.livenessProbe | default dict).successThreshold | default 1) 1 -}}
{{- fail "livenessProbe.successThreshold: must be 1" -}}
{{- end -}}
{{- $config := .Values.config | default dict -}}
{{- range $i, $root := $config.roots -}}
{{- $inside := false -}}
{{- range $paths -}}
{{- if or (eq (clean $root.path) .) (hasPrefix (printf "%s/" .) (clean $root.path)) -}}{{- $inside = true -}}{{- end -}}
{{- end -}}
{{- if not $inside -}}{{- fail (printf "config.roots[%d].path: %s is not below a mount (%s)" $i $root.path (join ", " $paths)) -}}{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.shards) 1) (ne .Values.kind "StatefulSet") -}}
{{- fail (printf "shards: %d shards need kind: StatefulSet, not %s" (int .Values.shards) .Values.kind) -}}
{{- end -}}
{{- if and (ne (int .Values.replicas) 1) (ne .Values.kind "Deployment") -}}
{{- fail (printf "replicas: belongs to kind: Deployment, not to %s" .Values.kind) -}}
{{- end -}}
{{- if and (eq .Values.export "processes") (ne .Values.kind "DaemonSet") -}}
{{- fail (printf "export: the processes of every node need kind: DaemonSet, not %s" .Values.kind) -}}
{{- end -}}
{{- if and .Values.existingConfig.configMap .Values.existingConfig.secret -}}
{{- fail "existingConfig: either configMap or secret" -}}
{{- end -}}
{{- if and $config (not (include "rlrun.configIsMade" .)) -}}
{{- fail "config: has no effect with existingConfig; leave one of them out" -}}
{{- end -}}
{{- if and (include "rlrun.processFacts" .) (hasKey $config "processes") (eq (toString $config.processes.enabled) "false") -}}
{{- fail "config.processes.enabled: false contradicts processFacts and export: processes" -}}
{{- end -}}
{{- if and (not .Values.webConfig.secretName) (or .Values.webConfig.probe.httpHeaders (ne .Values.webConfig.probe.handler "tcpSocket")) -}}
{{- fail "webConfig.probe: has no effect without webConfig.secretName; probes are httpGet then" -}}
{{- end -}}
{{- if and .Values.webConfig.probe.httpHeaders (eq .Values.webConfig.probe.handler "tcpSocket") -}}
{{- fail "webConfig.probe.httpHeaders: go with handler: httpGet" -}}
{{- end -}}
{{- if .Values.podDisruptionBudget.enabled -}}
{{- if eq .Values.kind "DaemonSet" -}}{{- fail "podDisruptionBudget: a drain leaves the pods of a DaemonSet alone" -}}{{- end -}}
{{- if eq (kindIs "invalid" .Values.podDisruptionBudget.minAvailable) (kindIs "invalid" .Values.podDisruptionBudget.maxUnavailable) -}}
{{- fail "podDisruptionBudget: one of minAvailable and maxUnavailable; set the other to null" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled -}}
{{- fail "serviceMonitor and podMonitor: every pod would be scraped twice; enable one" -}}
{{- end -}}
{{- end -}}
