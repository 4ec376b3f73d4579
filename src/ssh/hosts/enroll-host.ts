import { atField, refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { newOrderedId } from '../../platform/ids.ts'
import {
  formatCertificate,
  HOST_CERTIFICATE,
  prepareCertificate,
  signDraft,
} from '../../platform/openssh/certificate.ts'
import { ED25519, fingerprint, formatPublicKey, labelOf, parsePublicKey } from '../../platform/openssh/public-key.ts'
import { FormatError } from '../../platform/openssh/wire.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { claimSerial } from '../certificates/serial-store.ts'
import { raiseKrlVersion } from '../revocation/revocation-store.ts'
import { sshHostErrors } from '../ssh-errors.ts'
import { refuseHost } from './authenticate-host.ts'
import { deleteAttention } from './host-attention-store.ts'
import {
  markHostCertificatesRevoked,
  replaceHostKeys,
  addHostCertificate,
  listHostKeys,
  addHostToken,
  endHostTokens,
  lockHostOfToken,
  markTokenUsed,
  type NewestCertificate,
} from './host-credential-store.ts'
import { consumeEnrollment, findHostById, lockHost } from './host-store.ts'
import { newHostToken } from './host-token.ts'
import type { HostCertificate, StoredHost } from './host.ts'

type EnrollingServices = Pick<Services, 'db' | 'now' | 'random' | 'sshHostCa' | 'vault'>

export interface Enrolled {
  host: StoredHost
  certificates: HostCertificate[]
  hostToken: string
}

/**
 * Enrolls a host with the token that an administrator was shown. The token is taken in the transaction that stores the
 * keys and the certificates, so that it serves once, and a request that fails does not use it up. Certificates from before are
 * revoked. Tokens from before still read the lists, and nothing else, until the new one is used for the first time: the answer may be
 * lost, and whoever is to close must still hear of it.
 */
export async function enrollHost(
  services: EnrollingServices,
  { token, publicKeys }: { token: string; publicKeys: string[] },
  source: RequestSource,
): Promise<Enrolled> {
  const keys = readHostKeys(publicKeys)
  const at = services.now()
  try {
    return await services.db.transaction(async (trx) => {
      const id = (await consumeEnrollment(trx, digest(token), at)) ?? refuseToken()
      await endHostTokens(trx, { hostId: id, ending: 'reading', at })
      await deleteAttention(trx, { hostId: id })
      const revoked = await markHostCertificatesRevoked(trx, { hostId: id, at })
      await replaceHostKeys(trx, id, keys)
      const host = (await findHostById(trx, id)) ?? refuseToken()
      const certificates = await issueHostCertificates(services, trx, host)
      const hostToken = newHostToken(services, id)
      await addHostToken(trx, { hash: digest(hostToken), hostId: id, at })
      await record(services, trx, 'ssh_host.enrolled', host, certificates, source)
      if (revoked > 0) await raiseKrlVersion(trx, 'host')
      return { host, certificates, hostToken }
    })
  } catch (error) {
    if (!isDuplicate(error, 'ssh_host_keys.fingerprint')) throw error
    return refuse(sshHostErrors.host_key_taken())
  }
}

/**
 * New certificates and a new token. The token that was used here works until the new one is used for the first time: if this
 * answer is lost, the host renews again.
 */
export const renewHost = (
  services: EnrollingServices,
  hash: string | undefined,
  source: RequestSource,
): Promise<Enrolled> =>
  services.db.transaction(async (trx) => {
    const hostId = hash === undefined ? undefined : await lockHostOfToken(trx, hash)
    if (hash === undefined || hostId === undefined) return refuseHost()
    await markTokenUsed(trx, { hash, hostId, at: services.now() })
    const host = (await lockHost(trx, hostId)) ?? refuseHost()
    const certificates = await issueHostCertificates(services, trx, host)
    const hostToken = newHostToken(services, hostId)
    await addHostToken(trx, { hash: digest(hostToken), hostId, at: services.now() })
    await record(services, trx, 'ssh_host.renewed', host, certificates, source)
    return { host, certificates, hostToken }
  })

/**
 * A host renews in good time, and at once when its names have changed or another key of the authority signs. It renews again when it
 * goes on with a token that was to be replaced: then it has not got the certificate that came with the next one.
 */
const RENEW_MS = 15 * 24 * 3_600_000
/** For how long after the time of a new key a replica may still have signed with the old one. */
const OLD_KEY_MS = 2 * 60_000
/** How long a host has to use the token of a renewal. */
const LOST_MS = 10 * 60_000

export function shouldRenew(
  { now, sshHostCa }: Pick<Services, 'now' | 'sshHostCa'>,
  { hostnames, newest }: { hostnames: string[]; newest: NewestCertificate | undefined },
): boolean {
  const { signAt } = sshHostCa.current()
  const names = new Set(hostnames)
  return (
    newest === undefined ||
    newest.validBefore < now() + RENEW_MS ||
    (newest.unusedSince !== null && newest.unusedSince < now() - LOST_MS) ||
    (signAt !== null && newest.createdAt <= signAt + OLD_KEY_MS) ||
    names.symmetricDifference(new Set(newest.hostnames)).size > 0
  )
}

const refuseToken = (): never => refuse(sshHostErrors.enrollment_token_ended())

function readHostKeys(lines: string[]) {
  const keys = lines.map((line, index) => {
    try {
      const { blob, comment } = parsePublicKey(line)
      if (labelOf(blob) !== ED25519) throw new FormatError(sshHostErrors.host_key_type())
      return { fingerprint: fingerprint(blob), publicKey: formatPublicKey(blob, comment) }
    } catch (error) {
      if (error instanceof FormatError) return refuse(atField(`publicKeys.${index}`, error.shown))
      throw error
    }
  })
  if (new Set(keys.map(({ fingerprint: each }) => each)).size < keys.length) {
    throw atField('publicKeys', sshHostErrors.host_key_twice())
  }
  return keys
}

const record = (
  services: EnrollingServices,
  trx: Trx,
  action: 'ssh_host.enrolled' | 'ssh_host.renewed',
  host: StoredHost,
  certificates: HostCertificate[],
  source: RequestSource,
): Promise<void> =>
  recordEvent(services, trx, {
    action,
    outcome: 'success',
    actor: { id: null, email: null, source },
    target: { type: 'ssh_host', id: host.id },
    data: { name: host.name, hostnames: host.hostnames, serials: certificates.map(({ serial }) => serial) },
  })

/** How long a certificate is valid. */
export const HOST_CERTIFICATE_SECONDS = 30 * 24 * 3600
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32

/** A certificate for each key of a host, for all of its names. The caller has locked the host. */
async function issueHostCertificates(
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
