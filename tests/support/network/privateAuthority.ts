import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its key, both PEM. */
export interface Identity {
  cert: string
  key: string
}

/** A private certificate authority, like that of a company. */
export type PrivateAuthority = ReturnType<typeof makePrivateAuthority>

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Creates an authority with openssl; deletes its files before returning. */
export function makePrivateAuthority(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'packbench-ca-'))
  const run = (args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  try {
    run(['req', '-x509', ...newKey, ...'-keyout ca.key -out ca.pem -days 2 -subj'.split(' '), `/CN=${name}`])
    const [pem, key] = ['ca.pem', 'ca.key'].map((file) => readFileSync(join(folder, file), 'utf8'))
    return {
      /** Its own certificate (PEM). */
      pem: pem ?? '',
      /** Issues a certificate for a host's name. */
      issue: (host: string) => issue(host, { cert: pem ?? '', key: key ?? '' }),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function issue(host: string, authority: Identity): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'packbench-cert-'))
  const run = (args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  try {
    writeFileSync(join(folder, 'ca.pem'), authority.cert)
    writeFileSync(join(folder, 'ca.key'), authority.key)
    writeFileSync(join(folder, 'names'), `subjectAltName=${host === '127.0.0.1' ? 'IP' : 'DNS'}:${host}`)
    run(['req', ...newKey, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', `/CN=${host}`])
    run(
      'x509 -req -in request.pem -out cert.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names'.split(
        ' ',
      ),
    )
    return {
      cert: `${readFileSync(join(folder, 'cert.pem'), 'utf8')}${authority.cert}`,
      key: readFileSync(join(folder, 'key.pem'), 'utf8'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
