// Writes the signed file of an update channel for the packages in dist/: `node build/packaging/signChannel.mjs
// --version=1.2.3 --channel=stable --rollout=100`. UPDATE_SIGNING_KEY holds the private key (Ed25519, PKCS8 as PEM); builds get the public
// key in MAIN_VITE_UPDATE_KEY.
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** End of a package's file name, and its platform and kind in the channel. */
const kinds = [
  ['.AppImage', 'linux', 'AppImage'],
  ['.deb', 'linux', 'deb'],
  ['.rpm', 'linux', 'rpm'],
  ['.tar.gz', 'linux', 'tar.gz'],
  ['.exe', 'win32', 'nsis'],
  ['-win-x64.zip', 'win32', 'zip'],
  ['-win-arm64.zip', 'win32', 'zip'],
  ['.dmg', 'darwin', 'dmg'],
]

const maxFileBytes = 1_000_000_000

const dayMs = 24 * 60 * 60 * 1000

/**
 * Creates and signs the text of a channel. Throws when a station would not read it, or it would offer nothing.
 * @param {{ folder: string, channel: string, rollout: number, version: string, key: string, now?: Date, validDays?: number }} wanted
 *   `rollout`: share of the stations in percent; `key`: PEM; `validDays`: days until the channel expires; undefined for never
 * @returns {Promise<string>} the content of the channel's file
 */
export async function signChannel({ folder, channel, rollout, version, key, now = new Date(), validDays }) {
  // The rules of `channelSchema` in src/main/updates/channel.ts: this script also runs without the packages of npm.
  demand(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version), `The version «${version}» is not of the form 1.2.3.`)
  demand(/^[a-z][a-z0-9-]{0,29}$/.test(channel), `«${channel}» can't be the name of a channel.`)
  demand(rollout >= 0 && rollout <= 100, 'The rollout is not a number from 0 to 100.')
  demand(
    validDays === undefined || validDays > 0,
    'The days until the channel expires are not a number above 0.',
  )
  const files = []
  for (const name of (await readdir(folder)).toSorted()) {
    const [end, platform, kind] = kinds.find(([ending]) => name.endsWith(String(ending))) ?? []
    if (end === undefined || findVersion(name) !== version) continue
    // SECURITY: stations that were told to install it would keep real credentials in an unofficial Electron.
    demand(!name.includes('-unofficial'), `${name} contains an unofficial Electron: no station may get it.`)
    const path = join(folder, name)
    const hash = createHash('sha512')
    await pipeline(createReadStream(path), hash)
    const target = `${platform}-${/arm64|aarch64/.test(name) ? 'arm64' : 'x64'}-${kind}`
    const { size } = await stat(path)
    demand(size > 0 && size <= maxFileBytes, `${name} is empty or larger than ${maxFileBytes} bytes.`)
    files.push({ target, name, bytes: size, sha512: hash.digest('hex') })
  }
  // To withdraw a version its packages are not needed.
  demand(files.length > 0 || rollout === 0, `${folder} has no package of version ${version}.`)
  const signedAt = now.toISOString()
  const expiresAt =
    validDays === undefined ? undefined : new Date(now.getTime() + validDays * dayMs).toISOString()
  const text = JSON.stringify({ product: 'packbench', channel, version, signedAt, expiresAt, rollout, files })
  const signature = sign(null, Buffer.from(text), createPrivateKey(key)).toString('base64')
  return `${JSON.stringify({ text, signature })}\n`
}

/**
 * The version in the name of a package, as a whole: 0.2.10 contains 0.2.1.
 * @param {string} name
 */
function findVersion(name) {
  return /[-_](\d+\.\d+\.\d+)(?!\.?\d)/.exec(name)?.[1]
}

/**
 * @param {boolean} isMet
 * @param {string} reason
 */
function demand(isMet, reason) {
  if (!isMet) throw new Error(`${reason} Nothing was signed.`)
}

/**
 * The public key of a private key, in the form of MAIN_VITE_UPDATE_KEY.
 * @param {string} key PEM
 */
export function toPublicKey(key) {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
}

if (import.meta.url === pathToFileURL(String(process.argv[1])).href) {
  const { values } = parseArgs({
    options: {
      channel: { type: 'string', default: 'stable' },
      rollout: { type: 'string', default: '100' },
      version: { type: 'string', default: '' },
      folder: { type: 'string', default: 'dist' },
      'valid-days': { type: 'string' },
    },
  })
  const { channel, folder, version } = values
  const key = process.env.UPDATE_SIGNING_KEY
  if (key === undefined || key === '') throw new Error('UPDATE_SIGNING_KEY is not set.')
  // An empty text is 0 for Number(), which would stop the rollout.
  const toNumber = (/** @type {string} */ text) => (text === '' ? Number.NaN : Number(text))
  const rollout = toNumber(values.rollout)
  const validDays = values['valid-days'] === undefined ? undefined : toNumber(values['valid-days'])
  const signed = await signChannel({ folder, channel, version, rollout, key, validDays })
  await writeFile(join(folder, `${channel}.json`), signed)
  console.log(`Signed ${channel}.json of version ${version} with the key ${toPublicKey(key)}.`)
}
