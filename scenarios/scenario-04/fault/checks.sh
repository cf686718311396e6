set -eu
sed -i 's#http-check send meth GET uri /ready#http-check send meth GET uri /healthz#' /etc/haproxy/haproxy.cfg
kill -USR2 "$(cat /run/haproxy.pid)"
