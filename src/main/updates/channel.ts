import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import { updateChannelSchema } from '../../shared/updates'

const versionSchema = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)

/** Most bytes of an update's file. */
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

/** What a channel offers. Fields that a later version adds are passed over. */
const channelSchema = z.object({
  product: z.literal('packbench'),
  channel: updateChannelSchema,
  version: versionSchema,
  /** When it was signed: a station takes none that was signed before one that it has read. */
  signedAt: z.iso.datetime(),
  /** From then on it counts no more. */
  expiresAt: z.iso.datetime().optional(),
  /** Share of the stations that may have it now, in percent. */
  rollout: z.number().min(0).max(100),
  files: z.array(fileSchema).max(50),
})
export type Channel = z.infer<typeof channelSchema>

/** A channel's file: the text is signed as it stands, so that both always belong together. */
const signedSchema = z.object({ text: z.string(), signature: z.base64() })

/** Most bytes of a channel's file. */
export const maxChannelBytes = 256 * 1024

/** Why a channel is not believed. */
export type ChannelRefusal = 'unreadable' | 'signature' | 'other-channel' | 'future' | 'older' | 'expired'

/** How far the clocks of a station and of whoever signs may be apart, in milliseconds. */
const maxClockGapMs = 24 * 60 * 60_000

/** Against what a channel's file is judged. */
interface ChannelWanted {
  /** Ed25519, as SPKI in base64. */
  publicKey: string
  /** The one that was asked for: a file of another one could offer what this station is not to have. */
  channel: string
  /** When the newest file of this channel that the station has read was signed; undefined for none. */
  newest: string | undefined
  now: Date
}

/** Reads a channel's file, which counts only when it is signed with the key and neither replaced nor expired. */
export function readChannel(
  file: string,
  { publicKey, channel, newest, now }: ChannelWanted,
): Result<Channel, ChannelRefusal> {
  const signed = parse(signedSchema, file)
  if (signed === undefined) return err('unreadable')
  const { text, signature } = signed
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  // SECURITY: nothing of the text is looked at before.
  if (!verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))) return err('signature')
  const offered = parse(channelSchema, text)
  if (offered === undefined) return err('unreadable')
  if (offered.channel !== channel) return err('other-channel')
  const isAhead = (time: string) => new Date(time).getTime() - now.getTime() > maxClockGapMs
  // One that was signed with a wrong clock would outlive all that are signed rightly after it.
  if (isAhead(offered.signedAt)) return err('future')
  // SECURITY: a server that still has what was withdrawn, or kept it to offer it again, brings nothing back.
  if (newest !== undefined && !isAhead(newest) && new Date(offered.signedAt) < new Date(newest)) {
    return err('older')
  }
  if (offered.expiresAt !== undefined && new Date(offered.expiresAt) <= now) return err('expired')
  return ok(offered)
}

function parse<Output>(schema: z.ZodType<Output>, text: string): Output | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Whether a version is newer than another; both of the form 1.2.3. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) => each.split('.').map(Number))
  for (const [place, number] of (one ?? []).entries()) {
    const before = other?.[place] ?? 0
    if (number !== before) return number > before
  }
  return false
}

/**
 * Where a station stands in the row of those that get a version, 0 to 100: the same for a version each time it is asked, and another
 * one for each version.
 * @param station what tells stations apart
 */
export function toRolloutPlace(station: string, version: string): number {
  const hash = createHash('sha256').update(`${station}\n${version}`).digest()
  return (hash.readUInt32BE(0) / 2 ** 32) * 100
}

/** What decides whether a station takes what a channel offers. */
export interface Installation {
  version: string
  /** As a channel names it. */
  target: string
  station: string
}

/** The file that a station is to have now; undefined when it has that version, a newer one, or is not among the first. */
export function chooseFile(
  channel: Channel,
  { version, target, station }: Installation,
): UpdateFile | undefined {
  if (!isNewer(channel.version, version)) return undefined
  if (toRolloutPlace(station, channel.version) >= channel.rollout) return undefined
  return channel.files.find((file) => file.target === target)
}
