import type { Authority } from '../openssh/certificate.ts'
import type { IssuedCertificate } from './certificate.ts'
import { type Asked, issueCertificates, type Needs } from './issue-certificates.ts'

/** Bounds how long one batch keeps the event loop, and the row that all serials come from. */
const MOST_TOGETHER = 64

interface Waiting {
  asked: Asked
  resolve(issued: IssuedCertificate): void
  reject(error: unknown): void
}

export type IssueCertificate = (asked: Asked) => Promise<IssuedCertificate>

/**
 * Issues certificates in one batch after another: they would wait for the row of the serials anyway, each with a
 * transaction of its own in hand. Those that are asked for in the meantime are issued together.
 */
export function createIssuer(services: Needs, authority: Authority): IssueCertificate {
  const waiting: Waiting[] = []
  let busy = false

  const serve = async (): Promise<void> => {
    busy = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_TOGETHER)
      try {
        const asked = batch.map((each) => each.asked)
        const outcomes = await issueCertificates(services, authority, asked)
        outcomes.forEach((outcome, index) => {
          if (outcome instanceof Error) batch[index]?.reject(outcome)
          else batch[index]?.resolve(outcome)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    busy = false
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      // Whoever asks in the same turn of the event loop is taken along.
      if (!busy) {
        busy = true
        setImmediate(() => void serve())
      }
    })
}
