{{/* The endpoint of a monitor: {root, monitor}. The job is what the rules look
for, whatever the release is called. */}}
{{- define "rlrun.endpoint" -}}
{{- $monitor := .monitor -}}
port: metrics
path: {{ .root.Values.telemetryPath | quote }}
{{- if .root.Values.webConfig.secretName }}
scheme: {{ .root.Values.webConfig.scheme }}
{{- end }}
{{- range $key := list "interval" "scrapeTimeout" }}
{{- with get $monitor $key }}
{{ $key }}: {{ . | quote }}
{{- end }}
{{- end }}
honorLabels: {{ $monitor.honorLabels }}
{{- if kindIs "bool" $monitor.honorTimestamps }}
honorTimestamps: {{ $monitor.honorTimestamps }}
{{- end }}
{{- range $key := list "tlsConfig" "basicAuth" "metricRelabelings" }}
{{- with get $monitor $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
relabelings:
  - action: replace
    targetLabel: job
    replacement: rlrun-exporter
  {{- with $monitor.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "rlrun.monitorLimits" -}}
{{- $monitor := . -}}
{{- range $key := list "sampleLimit" "labelLimit" "labelNameLengthLimit" "labelValueLengthLimit" }}
{{- with get $monitor $key }}
{{ $key }}: {{ int . }}
{{- end }}
{{- end }}
{{- end -}}
