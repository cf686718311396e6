// The public URLs of this service: the primary host and the direct host. A Host header of a client only selects one of them.

export interface Hosts {
  /** The root URL of the requested host if it is one of ours, else the primary one. */
  rootUrlFor(host: string | undefined): string
  /** Every root, the primary one first. */
  all(): string[]
  /** The origins of pages that belong to the service: its own, and those that the operator names. */
  origins(): string[]
}

export interface HostsOptions {
  readonly publicUrl: string | undefined
  readonly directUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  /** The local address, once it listens. */
  readonly localUrl: () => string
}

export const createHosts = ({ publicUrl, directUrl, allowedOrigins, localUrl }: HostsOptions): Hosts => {
  const configured = [publicUrl, directUrl].filter((url) => url !== undefined)
  const direct = directUrl === undefined ? undefined : new URL(directUrl).host
  const all = () => (publicUrl === undefined ? [localUrl(), ...configured] : configured)
  return {
    rootUrlFor: (host) => (direct !== undefined && host?.toLowerCase() === direct ? (directUrl as string) : (publicUrl ?? localUrl())),
    all,
    origins: () => [...all(), ...allowedOrigins],
  }
}
