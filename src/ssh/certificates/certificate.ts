import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'

const Serial = Type.String({ description: '64 bits, in decimal digits.' })
const KeyId = Type.String({ description: 'Names the user and the certificate; sshd writes it to its log.' })
const Seconds = Type.Integer({ description: 'Epoch seconds.' })

/** A certificate as the log of all certificates shows it. */
export const SshCertificate = Type.Object(
  {
    id: Type.String(),
    serial: Serial,
    userId: Type.String(),
    keyId: KeyId,
    principals: Type.Array(Type.String()),
    fingerprint: Type.String({ description: 'Of the public key that was certified.' }),
    validAfter: Seconds,
    validBefore: Seconds,
    revokedAt: Nullable(Time),
    revokeReason: Nullable(Type.String()),
    createdAt: Time,
  },
  { title: 'SshCert' },
)
export type SshCertificate = Type.Static<typeof SshCertificate>

/** The answer to a request for a certificate. */
export const IssuedCertificate = Type.Object(
  {
    certificate: Type.String({ description: 'One line, for a file whose name ends in -cert.pub.' }),
    id: Type.String(),
    serial: Serial,
    keyId: KeyId,
    principals: Type.Array(Type.String()),
    validAfter: Seconds,
    validBefore: Seconds,
    fingerprint: Type.String(),
  },
  { title: 'IssuedSshCert' },
)
export type IssuedCertificate = Type.Static<typeof IssuedCertificate>
