import { type AppError, appError } from '../../shared/errors'

/** The code of the error of a look-up that found an address which may not be connected to. */
export const addressNotAllowed = 'ADDRESS_NOT_ALLOWED'

/** Where the way through a proxy ended before anything was sent to the service. */
export type ProxyFailure =
  /** No connection to the proxy itself. */
  | { kind: 'unreachable'; proxy: string; reason: string }
  | { kind: 'insecure'; proxy: string; reason: string }
  /** It took the connection and gave no answer that can be understood. */
  | { kind: 'broken'; proxy: string; reason: string }
  /** `schemes`: what it would take, as it says it. */
  | {
      kind: 'credentials-missing' | 'credentials-refused' | 'credentials-other'
      proxy: string
      schemes: string
    }
  | { kind: 'refused' | 'service-not-reached'; proxy: string; status: string }
  /** The operating system did not say in time which proxy is to be taken; `proxy` is empty. */
  | { kind: 'system-silent'; proxy: string }
  /** A proxy of another kind than HTTP. */
  | { kind: 'unsupported'; proxy: string }

/** Ends an attempt to connect through a proxy. No byte of the request itself had left. */
export class ProxyError extends Error {
  readonly code = 'PROXY_FAILED'

  constructor(readonly failure: ProxyFailure) {
    super(`the proxy ${failure.proxy} could not be used: ${failure.kind}`)
  }
}

/** The error for a way to `host` that ended at a proxy. */
export function proxyError({ kind, ...details }: ProxyFailure, host: string): AppError {
  return appError('proxy-failed', { ...details, host, case: kind })
}
