import { z } from 'zod'
import { method, nothing } from './contract'
import { appErrorSchema } from './errors'
import { caFileSchema } from './fleet'

const hostSchema = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/@?#:]+$|^\[[0-9a-fA-F:.]+\]$/, { error: 'host' })

/** A host, `*.example`, or `.example` with everything below it; one of IPv6 in brackets. */
const exceptionSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(\*?\.)?[^\s/@?#:*]+$|^\[[0-9a-f:.]+\]$/, { error: 'host' })

/**
 * The way to hosts outside. Hosts of this computer itself never go through a proxy, unless `loopback` says so.
 * - `system`: what the system's settings say for each host, with their automatic configuration (PAC)
 * - `manual`: this proxy for every host but the exceptions
 */
export const proxySettingsSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('system') }),
  z.strictObject({
    mode: z.literal('manual'),
    host: hostSchema,
    port: z.int().min(1).max(65_535),
    /** Whether the proxy itself is spoken to over TLS. */
    tls: z.boolean().default(false),
    exceptions: z.array(exceptionSchema).max(100).default([]),
    loopback: z.boolean().default(false),
  }),
  z.strictObject({ mode: z.literal('off') }),
])
export type ProxySettings = z.output<typeof proxySettingsSchema>

/** Authorities that certificates are believed of, besides the well-known ones that come with the app. */
export const certificateSettingsSchema = z.strictObject({
  /** Whether the operating system's are believed. */
  system: z.boolean().default(true),
  file: caFileSchema.optional(),
  /** Certificates themselves (PEM). */
  pem: z
    .string()
    .trim()
    .max(200_000)
    .regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/, { error: 'certificates' })
    .regex(/^(?![\s\S]*PRIVATE KEY)/, { error: 'private-key' })
    .optional(),
})
export type CertificateSettings = z.output<typeof certificateSettingsSchema>

/** A place of a proxy as `host:port`, which its credentials are kept for. */
export const proxyPlaceSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(260)
  .regex(/^([^\s/@?#:]+|\[[0-9a-f:.]+\]):\d{1,5}$/, { error: 'proxy-place' })

export const proxyCredentialsSchema = z.strictObject({
  user: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^:\p{Cc}]+$/u),
  password: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^\p{Cc}]+$/u),
})
export type ProxyCredentials = z.output<typeof proxyCredentialsSchema>

/** The stretches of the way to the service, in their order. */
export const hopSchema = z.enum(['certificates', 'proxy', 'tunnel', 'trust', 'service'])
export type Hop = z.output<typeof hopSchema>

export const networkTestSchema = z.object({
  /** Host and port that the way leads to. */
  target: z.string(),
  /** The proxy on the way, as `host:port`; null when it is direct. */
  proxy: z.string().nullable(),
  /** Stretches that are good; without a proxy or without TLS they are fewer. */
  reached: z.array(hopSchema),
  failed: z.object({ hop: hopSchema, error: appErrorSchema }).nullable(),
  /** Who issued the certificate of the service; null where none was seen. */
  issuer: z.string().nullable(),
})
export type NetworkTest = z.output<typeof networkTestSchema>

export const networkStatusSchema = z.object({
  /** The proxy that leads to the service now, as `host:port`; null for none, or without an account. */
  proxy: z.string().nullable(),
  /** The proxy that credentials are kept for; null for none. */
  credentialsFor: z.string().nullable(),
})
export type NetworkStatus = z.output<typeof networkStatusSchema>

/** Methods of the bridge for the way to the outside. */
export const networkMethods = {
  getNetwork: method(nothing, networkStatusSchema),
  /**
   * Walks the way to the service and says where it ends. Without credentials those that are kept for the proxy are taken. The
   * service itself is asked when an account is connected and the settings are those that are in use.
   */
  testNetwork: method(
    z.strictObject({
      proxy: proxySettingsSchema,
      certificates: certificateSettingsSchema,
      credentials: proxyCredentialsSchema.nullable(),
      /** Address of the service; null for the account's. */
      address: z.string().trim().min(1).max(500).nullable(),
    }),
    networkTestSchema,
  ),
  /** Keeps the credentials of the proxy that leads to the service now; null takes away what is kept. */
  setProxyCredentials: method(
    z.strictObject({ credentials: proxyCredentialsSchema.nullable() }),
    networkStatusSchema,
  ),
}
