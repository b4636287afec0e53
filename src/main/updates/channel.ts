import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import { updateChannelSchema } from '../../shared/updates'
import { readValid } from '../lib/readValid'

const versionSchema = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)

const maxFileBytes = 1_000_000_000

const fileSchema = z.object({
  /** Which installations it is for, e.g. `linux-x64-AppImage`. */
  target: z.string().max(60),
  /** In the channel's folder. */
  name: z.string().regex(/^[\w][\w.-]{0,150}$/),
  bytes: z.int().min(1).max(maxFileBytes),
  sha512: z.string().regex(/^[0-9a-f]{128}$/),
})
export type UpdateFile = z.infer<typeof fileSchema>

/** The content of a channel file. Unknown fields of newer versions are ignored. */
const channelSchema = z.object({
  product: z.literal('packbench'),
  channel: updateChannelSchema,
  version: versionSchema,
  /** A station refuses a file that was signed before one that it has already read. */
  signedAt: z.iso.datetime(),
  /** The file is refused from then on. */
  expiresAt: z.iso.datetime().optional(),
  /** Percentage of stations that get the version now. */
  rollout: z.number().min(0).max(100),
  files: z.array(fileSchema).max(50),
})
export type Channel = z.infer<typeof channelSchema>

/** A channel file: the signature is for the exact text. */
const signedSchema = z.object({ text: z.string(), signature: z.base64() })

export const maxChannelBytes = 256 * 1024

/** Why a channel file is refused. */
export type ChannelRefusal = 'unreadable' | 'signature' | 'other-channel' | 'future' | 'older' | 'expired'

/** Maximum difference between the clocks of a station and of the signer, in milliseconds. */
const maxClockGapMs = 24 * 60 * 60_000

/** What a channel file is checked against. */
interface ChannelWanted {
  /** Ed25519, as SPKI in base64. */
  publicKey: string
  /** The requested channel: the file of another one could offer a version that is not meant for this station. */
  channel: string
  /** `signedAt` of the newest file of this channel that the station has read; undefined for none. */
  newest: string | undefined
  now: Date
}

/** Parses and verifies a channel file: its signature, channel, age and expiry. */
export function readChannel(
  file: string,
  { publicKey, channel, newest, now }: ChannelWanted,
): Result<Channel, ChannelRefusal> {
  const signed = readValid(signedSchema, () => JSON.parse(file))
  if (signed === undefined) return err('unreadable')
  const { text, signature } = signed
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  // SECURITY: the text is not parsed before its signature is verified.
  if (!verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))) return err('signature')
  const offered = readValid(channelSchema, () => JSON.parse(text))
  if (offered === undefined) return err('unreadable')
  if (offered.channel !== channel) return err('other-channel')
  const isAhead = (time: string) => new Date(time).getTime() - now.getTime() > maxClockGapMs
  // A file signed with a wrong clock would make the station refuse all correctly signed files after it.
  if (isAhead(offered.signedAt)) return err('future')
  // SECURITY: an old file, stale or replayed, must not bring a withdrawn version back.
  if (newest !== undefined && !isAhead(newest) && new Date(offered.signedAt) < new Date(newest)) {
    return err('older')
  }
  if (hasExpired(offered, now)) return err('expired')
  return ok(offered)
}

/** Whether what a channel offers may no longer be installed. */
export function hasExpired({ expiresAt }: { expiresAt?: string | undefined }, now: Date): boolean {
  return expiresAt !== undefined && new Date(expiresAt) <= now
}

/** Whether a version is newer than another; both have the form 1.2.3. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) => each.split('.').map(Number))
  for (const [place, number] of (one ?? []).entries()) {
    const before = other?.[place] ?? 0
    if (number !== before) return number > before
  }
  return false
}

/**
 * A station's position in the rollout of a version, from 0 to 100: constant for a version, and different for each version.
 * @param station identifies the station
 */
export function toRolloutPlace(station: string, version: string): number {
  const hash = createHash('sha256').update(`${station}\n${version}`).digest()
  return (hash.readUInt32BE(0) / 2 ** 32) * 100
}

/** The properties of an installation that decide whether it takes an update. */
export interface Installation {
  version: string
  /** As in a channel file, e.g. `linux-x64-AppImage`. */
  target: string
  station: string
}

/** The file for this station; undefined when its version is not older, or the rollout has not reached it. */
export function chooseFile(
  channel: Channel,
  { version, target, station }: Installation,
): UpdateFile | undefined {
  if (!isNewer(channel.version, version)) return undefined
  if (toRolloutPlace(station, channel.version) >= channel.rollout) return undefined
  return channel.files.find((file) => file.target === target)
}
