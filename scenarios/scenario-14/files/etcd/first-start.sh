# Accounts, rights and the flags that exist so far.
set -eu
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=http://etcd-1:2379,http://etcd-2:2379,http://etcd-3:2379
unset ETCDCTL_USER
until etcdctl endpoint health --cluster; do sleep 0.3; done

etcdctl txn <<'TXN'

put /schaltwerk/flags/checkout.wallet {"enabled":true,"percent":17,"note":"CR-310701","change":"import-01"}
put /schaltwerk/flags/checkout.invoice {"enabled":true,"percent":34,"note":"CR-311402","change":"import-02"}
put /schaltwerk/flags/checkout.split-payment {"enabled":false,"percent":51,"note":"CR-312103","change":"import-03"}
put /schaltwerk/flags/checkout.express {"enabled":true,"percent":68,"note":"CR-312804","change":"import-04"}
put /schaltwerk/flags/checkout.coupons {"enabled":true,"percent":85,"note":"CR-313505","change":"import-05"}
put /schaltwerk/flags/checkout.vat-check {"enabled":false,"percent":1,"note":"CR-314206","change":"import-06"}
put /schaltwerk/flags/checkout.retry-card {"enabled":true,"percent":18,"note":"CR-314907","change":"import-07"}
put /schaltwerk/flags/checkout.gift-notes {"enabled":true,"percent":35,"note":"CR-315608","change":"import-08"}
put /schaltwerk/flags/search.vector {"enabled":false,"percent":52,"note":"CR-316309","change":"import-09"}
put /schaltwerk/flags/search.synonyms {"enabled":true,"percent":69,"note":"CR-317010","change":"import-10"}
put /schaltwerk/flags/search.fuzzy {"enabled":true,"percent":86,"note":"CR-317711","change":"import-11"}
put /schaltwerk/flags/search.autocomplete {"enabled":false,"percent":2,"note":"CR-318412","change":"import-12"}
put /schaltwerk/flags/search.facets {"enabled":true,"percent":19,"note":"CR-319113","change":"import-13"}
put /schaltwerk/flags/search.boost-local {"enabled":true,"percent":36,"note":"CR-319814","change":"import-14"}
put /schaltwerk/flags/search.typo-log {"enabled":false,"percent":53,"note":"CR-320515","change":"import-15"}
put /schaltwerk/flags/search.rerank {"enabled":true,"percent":70,"note":"CR-321216","change":"import-16"}
put /schaltwerk/flags/account.passkeys {"enabled":true,"percent":87,"note":"CR-321917","change":"import-17"}
put /schaltwerk/flags/account.mail-change {"enabled":false,"percent":3,"note":"CR-322618","change":"import-18"}
put /schaltwerk/flags/account.export {"enabled":true,"percent":20,"note":"CR-323319","change":"import-19"}
put /schaltwerk/flags/account.two-step {"enabled":true,"percent":37,"note":"CR-324020","change":"import-20"}
put /schaltwerk/flags/account.avatar {"enabled":false,"percent":54,"note":"CR-324721","change":"import-21"}
put /schaltwerk/flags/account.delete-flow {"enabled":true,"percent":71,"note":"CR-325422","change":"import-22"}
put /schaltwerk/flags/account.consent-v2 {"enabled":true,"percent":88,"note":"CR-326123","change":"import-23"}
put /schaltwerk/flags/account.locale {"enabled":false,"percent":4,"note":"CR-326824","change":"import-24"}
put /schaltwerk/flags/mobile.dark-mode {"enabled":true,"percent":21,"note":"CR-327525","change":"import-25"}
put /schaltwerk/flags/mobile.offline-cart {"enabled":true,"percent":38,"note":"CR-328226","change":"import-26"}
put /schaltwerk/flags/mobile.push-v3 {"enabled":false,"percent":55,"note":"CR-328927","change":"import-27"}
put /schaltwerk/flags/mobile.scanner {"enabled":true,"percent":72,"note":"CR-329628","change":"import-28"}
put /schaltwerk/flags/mobile.widget {"enabled":true,"percent":89,"note":"CR-330329","change":"import-29"}
put /schaltwerk/flags/mobile.haptics {"enabled":false,"percent":5,"note":"CR-331030","change":"import-30"}
put /schaltwerk/flags/mobile.deep-links {"enabled":true,"percent":22,"note":"CR-331731","change":"import-31"}
put /schaltwerk/flags/mobile.crash-beacon {"enabled":true,"percent":39,"note":"CR-332432","change":"import-32"}
put /schaltwerk/flags/stock.live-count {"enabled":false,"percent":56,"note":"CR-333133","change":"import-33"}
put /schaltwerk/flags/stock.reserve {"enabled":true,"percent":73,"note":"CR-333834","change":"import-34"}
put /schaltwerk/flags/stock.backorder {"enabled":true,"percent":90,"note":"CR-334535","change":"import-35"}
put /schaltwerk/flags/stock.transfer {"enabled":false,"percent":6,"note":"CR-335236","change":"import-36"}
put /schaltwerk/flags/stock.cycle-count {"enabled":true,"percent":23,"note":"CR-335937","change":"import-37"}
put /schaltwerk/flags/stock.supplier-feed {"enabled":true,"percent":40,"note":"CR-336638","change":"import-38"}
put /schaltwerk/flags/stock.batch-trace {"enabled":false,"percent":57,"note":"CR-337339","change":"import-39"}
put /schaltwerk/flags/stock.recall {"enabled":true,"percent":74,"note":"CR-338040","change":"import-40"}
put /schaltwerk/flags/release.freeze {"enabled":true,"percent":91,"note":"CR-338741","change":"import-41"}
put /schaltwerk/flags/release.canary {"enabled":false,"percent":7,"note":"CR-339442","change":"import-42"}
put /schaltwerk/flags/release.rollback {"enabled":true,"percent":24,"note":"CR-340143","change":"import-43"}
put /schaltwerk/flags/release.shadow {"enabled":true,"percent":41,"note":"CR-340844","change":"import-44"}
put /schaltwerk/flags/release.drain {"enabled":false,"percent":58,"note":"CR-341545","change":"import-45"}
put /schaltwerk/flags/release.mirror {"enabled":true,"percent":75,"note":"CR-342246","change":"import-46"}
put /schaltwerk/meta {"schema":2}
put /ops/maintenance {"contact":"platform","window":"Tue-02:00"}
put /ops/backup-key {{backup_key}}


TXN
etcdctl role add flags
etcdctl role grant-permission flags readwrite --prefix=true /schaltwerk/
etcdctl role add watch
etcdctl role grant-permission watch read --prefix=true /schaltwerk/flags/
etcdctl user add 'root:{{root_password}}'
etcdctl user add 'schaltwerk:{{app_password}}'
etcdctl user add 'dashboard:{{dash_password}}'
etcdctl user grant-role root root
etcdctl user grant-role schaltwerk flags
etcdctl user grant-role dashboard watch
etcdctl auth enable
