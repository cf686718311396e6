// The versions of the API, where it is mounted, and how large a body may be.

/** Values of the API-Version header, newest first. A request without it gets the newest. */
export const apiVersions = ['2026-11-15'] as const

export const basePath = '/api/v1'

/** The version of the interface's description, in `info.version` of the OpenAPI document. The service's own is in `GET /health`. */
export const descriptionVersion = '1.0.0'

/** The largest body of a request, in bytes. */
export const bodyLimit = 1024 * 1024
