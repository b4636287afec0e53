import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CountingCarrier } from '../../support/countingCarrier'
import { fleetStation } from '../../support/fleetStations'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'

const postgres = postgresOfBlock()
const run = promisify(execFile)

/** Makes a certificate authority and a server key for its certificates. */
async function makeAuthority(name: string) {
  const folder = await temporaryFolder()
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  )
  await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=database')
  return {
    caFile: join(folder, 'ca.pem'),
    key: await readFile(join(folder, 'server.key'), 'utf8'),
    /** Signs a certificate for a name or address, valid for `days` days from now. */
    async sign(subjectAltName: string, days = 2): Promise<string> {
      await writeFile(join(folder, 'names'), `subjectAltName=${subjectAltName}\n`)
      const by = [
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-days',
        String(days),
        '-extfile',
        'names',
      ]
      await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...by)
      return readFile(join(folder, 'server.pem'), 'utf8')
    },
  }
}

it('a station connects only to a server with a valid certificate for its name, signed by the authority in the settings', async () => {
  const own = await makeAuthority('the warehouse')
  const stranger = await makeAuthority('a stranger')
  const fleet = await postgres().newFleet({ tls: 'verify', caFile: own.caFile })
  await postgres().serveTls(await own.sign('IP:127.0.0.1'), own.key)
  const station = await fleetStation(new CountingCarrier(), fleet)
  expect(await station.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
  const encrypted = await postgres().query(
    'select bool_and(ssl) as all from pg_stat_ssl join pg_stat_activity using (pid) where datname = $1',
    [fleet.database],
  )
  expect(encrypted).toEqual([{ all: true }])
  const test = async (change: Partial<typeof fleet> = {}) => {
    const tested = await station.services.fleet.test({ ...fleet, ...change }, postgresPassword)
    return tested.ok ? 'good' : `${tested.error.code}: ${tested.error.details?.reason}`
  }
  expect(await test()).toBe('good')
  expect(await test({ caFile: stranger.caFile })).toMatch(/^fleet-insecure: unable to verify/)
  const { caFile: _, ...wellKnown } = fleet
  const known = await station.services.fleet.test(wellKnown, postgresPassword)
  expect(known).toMatchObject({ error: { code: 'fleet-insecure' } })
  await postgres().serveTls(await own.sign('DNS:other.example'), own.key)
  expect(await test()).toMatch(/^fleet-insecure: .*(altnames|does not match)/)
  await postgres().serveTls(await own.sign('IP:127.0.0.1', -1), own.key)
  expect(await test()).toMatch(/^fleet-insecure: .*expired/)
  await postgres().serveTls(await own.sign('IP:127.0.0.1'), own.key)
  expect(await test()).toBe('good')
}, 60_000)
