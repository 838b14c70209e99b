{{- define "rlrun.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* 52: the pods of a StatefulSet carry the name and a hash in one label of 63.
A Service begins with a letter and has no dot, which a release may. */}}
{{- define "rlrun.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "rlrun.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | replace "." "-" -}}
{{- ternary $full (printf "r%s" $full) (regexMatch "^[a-z]" $full) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "rlrun.selectorLabels" -}}
app.kubernetes.io/name: {{ include "rlrun.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of every object; commonLabels never change what selectors look at. */}}
{{- define "rlrun.labels" -}}
{{- $own := dict "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63) "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service "app.kubernetes.io/part-of" "rlrun-exporter" -}}
{{- $selector := include "rlrun.selectorLabels" . | fromYaml -}}
{{- merge (dict) $selector .Values.commonLabels $own | toYaml -}}
{{- end -}}

{{/* metadata: {root, name, namespace, labels, annotations}, of which all but root and name may be missing. */}}
{{- define "rlrun.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .namespace | default .root.Release.Namespace | quote }}
labels:
  {{- merge (include "rlrun.labels" .root | fromYaml) (.labels | default dict) | toYaml | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "rlrun.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "rlrun.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "rlrun.image" -}}
{{- $registry := .Values.global.imageRegistry | default .Values.image.registry -}}
{{- with $registry }}{{ . | trimSuffix "/" }}/{{ end -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{- define "rlrun.processFacts" -}}
{{- if or .Values.processFacts (eq .Values.export "processes") -}}yes{{- end -}}
{{- end -}}

{{/* The mounts of `logs` as {"mounts": [{name, path, subPath, source}]}. */}}
{{- define "rlrun.logs" -}}
{{- $mounts := list -}}
{{- range $i, $log := .Values.logs -}}
{{- $name := $log.name | default (printf "logs-%d" $i) -}}
{{- $source := dict -}}
{{- if $log.hostPath -}}
{{- $source = dict "hostPath" (dict "path" $log.hostPath "type" "Directory") -}}
{{- else if $log.existingClaim -}}
{{- $source = dict "persistentVolumeClaim" (dict "claimName" $log.existingClaim "readOnly" true) -}}
{{- else -}}
{{- $source = dict "nfs" (dict "server" $log.nfs.server "path" $log.nfs.path "readOnly" true) -}}
{{- end -}}
{{- $path := $log.mountPath | default $log.hostPath | default (printf "/logs/%s" $name) -}}
{{- $mounts = append $mounts (dict "name" $name "path" (clean $path) "subPath" ($log.subPath | default "") "source" $source) -}}
{{- end -}}
{{- dict "mounts" $mounts | toYaml -}}
{{- end -}}

{{/* The configuration file, where it comes from values. */}}
{{- define "rlrun.config" -}}
{{- $config := deepCopy (.Values.config | default dict) -}}
{{- if not $config.roots -}}
{{- $roots := list -}}
{{- range (include "rlrun.logs" . | fromYaml).mounts -}}
{{- $roots = append $roots (dict "path" .path) -}}
{{- end -}}
{{- $_ := set $config "roots" $roots -}}
{{- end -}}
{{- if and (not (include "rlrun.processFacts" .)) (not (hasKey $config "processes")) -}}
{{- $_ := set $config "processes" (dict "enabled" false) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- define "rlrun.configIsMade" -}}
{{- if not (or .Values.existingConfig.configMap .Values.existingConfig.secret) -}}yes{{- end -}}
{{- end -}}

{{/* Changes with the configuration, so that pods are replaced. An existing one
is looked up; without a cluster (helm template) its name stands for it. */}}
{{- define "rlrun.configChecksum" -}}
{{- if include "rlrun.configIsMade" . -}}
{{- include "rlrun.config" . | sha256sum -}}
{{- else -}}
{{- $kind := ternary "ConfigMap" "Secret" (not (empty .Values.existingConfig.configMap)) -}}
{{- $name := .Values.existingConfig.configMap | default .Values.existingConfig.secret -}}
{{- $found := lookup "v1" $kind .Release.Namespace $name | default dict -}}
{{- list $kind $name ($found.data | default dict) | toJson | sha256sum -}}
{{- end -}}
{{- end -}}
