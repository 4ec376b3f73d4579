import { newOrderedId } from '../../platform/ids.ts'
import {
  formatCertificate,
  HOST_CERTIFICATE,
  prepareCertificate,
  signDraft,
} from '../../platform/openssh/certificate.ts'
import { fingerprint, parsePublicKey } from '../../platform/openssh/public-key.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { claimSerial } from '../certificates/serial-store.ts'
import { addHostCertificate, listHostKeys } from './host-certificate-store.ts'
import type { HostCertificate, StoredHost } from './host.ts'

/** How long a certificate is valid. */
export const HOST_CERTIFICATE_SECONDS = 30 * 24 * 3600
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32

/** A certificate for each key of a host, for all of its names. The caller has locked the host. */
export async function issueHostCertificates(
  { now, random, sshHostCa }: Pick<Services, 'now' | 'random' | 'sshHostCa'>,
  trx: Trx,
  host: StoredHost,
): Promise<HostCertificate[]> {
  const ca = sshHostCa.current()
  const at = now()
  const seconds = Math.floor(at / 1000)
  const validity = { validAfter: seconds - BACKDATED_SECONDS, validBefore: seconds + HOST_CERTIFICATE_SECONDS }
  const issued: HostCertificate[] = []
  for (const line of await listHostKeys(trx, host.id)) {
    const { key, blob, comment } = parsePublicKey(line)
    const described = { ...validity, keyId: `host:${host.id}:${newOrderedId()}` }
    const serial = await claimSerial(trx)
    const draft = prepareCertificate(ca, {
      ...described,
      type: HOST_CERTIFICATE,
      principals: host.hostnames,
      serial,
      key,
      nonce: random.bytes(NONCE_BYTES),
    })
    const { id: hostId, hostnames } = host
    await addHostCertificate(trx, {
      ...described,
      serial,
      hostId,
      hostnames,
      fingerprint: fingerprint(blob),
      createdAt: at,
    })
    issued.push({
      certificate: formatCertificate(signDraft(ca, draft), comment),
      serial: String(serial),
      ...validity,
    })
  }
  return issued
}
