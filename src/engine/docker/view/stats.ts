// The statistics of a container for `docker stats`, reduced to listed fields that are numbers.

import type { VisibleContainer } from './visible-containers.ts'

type Tree = { readonly [name: string]: Tree | true }

const cpu: Tree = {
  cpu_usage: { total_usage: true, usage_in_kernelmode: true, usage_in_usermode: true },
  system_cpu_usage: true,
  online_cpus: true,
  throttling_data: { periods: true, throttled_periods: true, throttled_time: true },
}
const told: Tree = {
  cpu_stats: cpu,
  precpu_stats: cpu,
  memory_stats: {
    usage: true,
    max_usage: true,
    limit: true,
    failcnt: true,
    stats: { cache: true, total_inactive_file: true, inactive_file: true },
  },
  pids_stats: { current: true, limit: true },
  num_procs: true,
}
const traffic: Tree = Object.fromEntries(
  ['rx', 'tx'].flatMap((way) => ['bytes', 'packets', 'errors', 'dropped'].map((what) => [`${way}_${what}`, true] as const)),
)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const numbersOf = (value: unknown, tree: Tree): Record<string, unknown> => {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, part]): [string, unknown][] => {
      const found = value[name]
      if (part === true) return typeof found === 'number' ? [[name, found]] : []
      return isObject(found) ? [[name, numbersOf(found, part)]] : []
    }),
  )
}

const momentOf = (value: unknown) => (typeof value === 'string' && /^[0-9TZ:.+-]{1,40}$/.test(value) ? value : '0001-01-01T00:00:00Z')

/** Without the device numbers of the host. */
const blocksOf = (value: unknown) => {
  const entries = isObject(value) ? value['io_service_bytes_recursive'] : null
  if (!Array.isArray(entries)) return { io_service_bytes_recursive: null }
  return {
    io_service_bytes_recursive: entries
      .filter(isObject)
      .flatMap(({ op, value: bytes }) =>
        typeof op === 'string' && /^[A-Za-z]{1,10}$/.test(op) && typeof bytes === 'number'
          ? [{ major: 0, minor: 0, op, value: bytes }]
          : [],
      ),
  }
}

export const statsResponse = ({ id, name }: VisibleContainer, stats: unknown) => {
  const from = isObject(stats) ? stats : {}
  const [first] = Object.values(isObject(from['networks']) ? from['networks'] : {})
  return {
    ...{ id, name: `/${name}`, read: momentOf(from['read']), preread: momentOf(from['preread']) },
    ...numbersOf(from, told),
    blkio_stats: blocksOf(from['blkio_stats']),
    ...(first === undefined ? {} : { networks: { eth0: numbersOf(first, traffic) } }),
  }
}
