import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface IssuedCertificate {
  key: string
  cert: string
}

export interface CertificateAuthority {
  /** What clients have to trust. */
  ca: string
  /** A certificate for names and addresses. */
  issue(...hosts: string[]): IssuedCertificate
}

/** An authority that nobody trusts who was not told to. */
export function createCertificateAuthority(): CertificateAuthority {
  const ca = run(['req', '-x509', '-subj', '/CN=Test authority', '-days', '1', '-addext', 'keyUsage=keyCertSign'])
  return {
    ca: ca.cert,
    issue(...hosts) {
      const names = hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`).join(',')
      return run(['req', '-x509', '-subj', '/CN=receiver', '-addext', `subjectAltName=${names}`, '-days', '1'], ca)
    },
  }
}

function run(args: string[], issuer?: IssuedCertificate): IssuedCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-ca-'))
  const at = (name: string) => join(folder, name)
  try {
    if (issuer) {
      writeFileSync(at('ca.key'), issuer.key)
      writeFileSync(at('ca.crt'), issuer.cert)
    }
    const isAuthority = issuer === undefined
    const signed = isAuthority ? [] : ['-CA', at('ca.crt'), '-CAkey', at('ca.key')]
    const constraints = ['-addext', `basicConstraints=critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key')]
    execFileSync('openssl', [...args, ...signed, ...constraints, ...key, '-out', at('crt')], { stdio: 'pipe' })
    return { key: readFileSync(at('key'), 'utf8'), cert: readFileSync(at('crt'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
