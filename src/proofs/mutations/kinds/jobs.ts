// Scheduled jobs that came, went or changed; programs that a supervisor starts.

import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { has, inOne, machinesOf } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'scheduled jobs and supervised programs added or removed',
  candidates: (subject) =>
    machinesOf(subject).flatMap((machine) => {
      const { name, jobs, files } = machine
      /** The image brings some of its own, of no use in a container. */
      const weight = (job: string) => (files.some(({ path }) => path === job) ? 2 : 0.2)
      return [
        ...jobs.flatMap((job) => [
          inOne(name, `job ${job} is removed`, `rm ${quote(job)}`, weight(job)),
          inOne(name, `job ${job} is off`, `sed -i 's/^[^#]/#&/' ${quote(job)}`, weight(job)),
        ]),
        inOne(
          name,
          'a job of the system was added',
          "mkdir -p /etc/cron.d\necho '*/5 * * * * root find /var/log -type f -delete' > /etc/cron.d/tidy",
          0.4,
        ),
        inOne(
          name,
          'a job of root was added',
          "mkdir -p /var/spool/cron/crontabs\necho '*/5 * * * * find /var/log -type f -delete' > /var/spool/cron/crontabs/root\nchmod 600 /var/spool/cron/crontabs/root",
        ),
        inOne(
          name,
          'a loop was left running that truncates logs',
          'setsid sh -c \'while sleep 2; do find /var/log -name "*.log" -exec truncate -s 0 {} +; done\' > /dev/null 2>&1 < /dev/null &',
        ),
        ...(has(machine, 'supervisord')
          ? [
              inOne(
                name,
                'a supervised program was added',
                'd=$(ls -d /etc/supervisor/conf.d)\nprintf \'[program:tidy]\\ncommand=sh -c "while sleep 600; do find /var/log -type f -delete; done"\\n\' > "$d/tidy.conf"',
              ),
            ]
          : []),
        ...(has(machine, 'runsvdir')
          ? [
              inOne(
                name,
                'a supervised program was added',
                "mkdir -p /etc/service/tidy\nprintf '#!/bin/sh\\nwhile sleep 600; do find /var/log -type f -delete; done\\n' > /etc/service/tidy/run\nchmod 755 /etc/service/tidy/run",
              ),
            ]
          : []),
      ]
    }),
})
