import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { caFileSchema } from './fleet'

const hostSchema = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/@?#:]+$|^\[[0-9a-fA-F:.]+\]$/, { error: 'host' })

/** A host, `*.example`, or `.example` including its subdomains; IPv6 addresses in brackets. */
const exceptionSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(\*?\.)?[^\s/@?#:*]+$|^\[[0-9a-f:.]+\]$/, { error: 'host' })

/**
 * The proxy for external hosts. Hosts of this computer are never reached through a proxy, unless `loopback` is set.
 * - `system`: the system's proxy settings per host, including automatic configuration (PAC)
 * - `manual`: this proxy for every host except the exceptions
 */
export const proxySettingsSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('system') }),
  z.strictObject({
    mode: z.literal('manual'),
    host: hostSchema,
    port: z.int().min(1).max(65_535),
    /** Whether the connection to the proxy uses TLS. */
    tls: z.boolean().default(false),
    exceptions: z.array(exceptionSchema).max(100).default([]),
    loopback: z.boolean().default(false),
  }),
  z.strictObject({ mode: z.literal('off') }),
])
export type ProxySettings = z.output<typeof proxySettingsSchema>

/** Trusted authorities besides the well-known ones that the app ships. */
export const certificateSettingsSchema = z.strictObject({
  /** Whether the operating system's authorities are trusted. */
  system: z.boolean().default(true),
  file: caFileSchema.optional(),
  /** Certificates in PEM. */
  pem: z
    .string()
    .trim()
    .max(200_000)
    .regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/, { error: 'certificates' })
    .regex(/^(?![\s\S]*PRIVATE KEY)/, { error: 'private-key' })
    .optional(),
})
export type CertificateSettings = z.output<typeof certificateSettingsSchema>

/** A proxy as `host:port`, for which credentials are stored. */
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

/** The steps of a connection to the service, in order. */
export const hopSchema = z.enum(['certificates', 'proxy', 'tunnel', 'trust', 'service'])
export type Hop = z.output<typeof hopSchema>

export const networkTestSchema = z.object({
  /** Host and port of the tested connection. */
  target: z.string(),
  /** The proxy as `host:port`; null for a direct connection. */
  proxy: z.string().nullable(),
  /** The successful steps; fewer without a proxy or without TLS. */
  reached: z.array(hopSchema),
  failed: z.object({ hop: hopSchema, error: appErrorSchema }).nullable(),
  /** Issuer of the service's certificate; null when none was received. */
  issuer: z.string().nullable(),
})
export type NetworkTest = z.output<typeof networkTestSchema>

export const networkStatusSchema = z.object({
  /** The current proxy for the service, as `host:port`; null without a proxy or an account. */
  proxy: z.string().nullable(),
  /** The proxy for which credentials are stored; null for none. */
  credentialsFor: z.string().nullable(),
})
export type NetworkStatus = z.output<typeof networkStatusSchema>

/** Methods of the bridge for network settings. */
export const networkMethods = {
  getNetwork: openMethod(nothing, networkStatusSchema),
  /**
   * Tests the connection to the service step by step. Without credentials it uses those stored for the proxy. It sends a request
   * to the service only if an account is connected and the tested settings are the current ones.
   */
  testNetwork: guardedMethod(
    'settings',
    z.strictObject({
      proxy: proxySettingsSchema,
      certificates: certificateSettingsSchema,
      credentials: proxyCredentialsSchema.nullable(),
      /** Address of the service; null for the account's. */
      address: z.string().trim().min(1).max(500).nullable(),
    }),
    networkTestSchema,
  ),
  /** Stores credentials of the current proxy for the service; null removes the stored ones. */
  setProxyCredentials: guardedMethod(
    'settings',
    z.strictObject({ credentials: proxyCredentialsSchema.nullable() }),
    networkStatusSchema,
  ),
}
