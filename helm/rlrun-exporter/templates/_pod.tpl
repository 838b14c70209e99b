{{/* The pod template, the same for every kind. */}}
{{- define "rlrun.pod" -}}
{{- $logs := (include "rlrun.logs" . | fromYaml).mounts -}}
metadata:
  labels:
    {{- merge (include "rlrun.labels" . | fromYaml) .Values.podLabels | toYaml | nindent 4 }}
  annotations:
    {{- merge (dict "checksum/config" (include "rlrun.configChecksum" .) "kubectl.kubernetes.io/default-container" "rlrun-exporter") .Values.podAnnotations .Values.commonAnnotations | toYaml | nindent 4 }}
spec:
  serviceAccountName: {{ include "rlrun.serviceAccountName" . | quote }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- if include "rlrun.processFacts" . }}
  hostPID: true
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.podSecurityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  containers:
    - name: rlrun-exporter
      image: {{ include "rlrun.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - --config.file=/etc/rlrun_exporter/config/{{ ternary "config.yaml" .Values.existingConfig.key (eq (include "rlrun.configIsMade" .) "yes") }}
        - --web.listen-address=:10190
        - --log.level={{ .Values.log.level }}
        - --log.format={{ .Values.log.format }}
        {{- if ne .Values.export "all" }}
        - --export={{ .Values.export }}
        {{- end }}
        {{- if .Values.webConfig.secretName }}
        - --web.config.file=/etc/rlrun_exporter/web/{{ .Values.webConfig.key }}
        {{- end }}
        {{- with .Values.externalUrl }}
        - {{ printf "--web.external-url=%s" . | quote }}
        {{- end }}
        {{- if ne .Values.telemetryPath "/metrics" }}
        - {{ printf "--web.telemetry-path=%s" .Values.telemetryPath | quote }}
        {{- end }}
        {{- if not .Values.pages.showLogText }}
        - --web.show-log-text=false
        {{- end }}
        {{- with .Values.pages.grafanaUrl }}
        - {{ printf "--web.grafana-url=%s" . | quote }}
        {{- end }}
        {{- with .Values.pages.runbookUrl }}
        - {{ printf "--web.runbook-url=%s" . | quote }}
        {{- end }}
        {{- if .Values.enableLifecycle }}
        - --web.enable-lifecycle
        {{- end }}
        {{- if .Values.cache.enabled }}
        - --cache.dir=/var/cache/rlrun_exporter
        {{- end }}
        {{- if gt (int .Values.shards) 1 }}
        - --shard=$(POD_NAME)/{{ int .Values.shards }}
        {{- end }}
        {{- with .Values.extraArgs }}
        {{- tpl (toYaml .) $ | nindent 8 }}
        {{- end }}
      {{- if or (gt (int .Values.shards) 1) .Values.extraEnv }}
      env:
        {{- if gt (int .Values.shards) 1 }}
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- tpl (toYaml .) $ | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        - name: metrics
          containerPort: 10190
          protocol: TCP
      livenessProbe:
        {{- include "rlrun.probe" (dict "root" . "path" "/-/healthy") | nindent 8 }}
        {{- with .Values.livenessProbe }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      readinessProbe:
        {{- include "rlrun.probe" (dict "root" . "path" "/-/ready") | nindent 8 }}
        {{- with .Values.readinessProbe }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.securityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: config
          mountPath: /etc/rlrun_exporter/config
          readOnly: true
        {{- if .Values.webConfig.secretName }}
        - name: web-config
          mountPath: /etc/rlrun_exporter/web
          readOnly: true
        {{- end }}
        {{- if .Values.cache.enabled }}
        - name: cache
          mountPath: /var/cache/rlrun_exporter
        {{- end }}
        {{- range $logs }}
        - name: {{ .name | quote }}
          mountPath: {{ .path | quote }}
          readOnly: true
          {{- with .subPath }}
          subPath: {{ . | quote }}
          {{- end }}
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- tpl (toYaml .) $ | nindent 8 }}
        {{- end }}
    {{- with .Values.extraContainers }}
    {{- tpl (toYaml .) $ | nindent 4 }}
    {{- end }}
  volumes:
    - name: config
      {{- if .Values.existingConfig.secret }}
      secret:
        secretName: {{ .Values.existingConfig.secret | quote }}
      {{- else }}
      configMap:
        name: {{ .Values.existingConfig.configMap | default (include "rlrun.fullname" .) | quote }}
      {{- end }}
    {{- with .Values.webConfig.secretName }}
    - name: web-config
      secret:
        secretName: {{ . | quote }}
    {{- end }}
    {{- if .Values.cache.enabled }}
    - name: cache
      {{- toYaml .Values.cache.volume | nindent 6 }}
    {{- end }}
    {{- range $logs }}
    - name: {{ .name | quote }}
      {{- toYaml .source | nindent 6 }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- tpl (toYaml .) $ | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
{{- end -}}

{{/* kubelet has neither a password, unless it is told, nor a certificate. */}}
{{- define "rlrun.probe" -}}
{{- $web := .root.Values.webConfig -}}
{{- if and $web.secretName (eq $web.probe.handler "tcpSocket") -}}
tcpSocket:
  port: metrics
{{- else -}}
httpGet:
  path: {{ .path }}
  port: metrics
  {{- if and $web.secretName (eq $web.scheme "https") }}
  scheme: HTTPS
  {{- end }}
  {{- with $web.probe.httpHeaders }}
  httpHeaders:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
