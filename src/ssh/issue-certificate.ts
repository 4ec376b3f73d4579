import { createSigner } from '../crypto/sign-together.ts'
import type { Authority } from '../openssh/certificate.ts'
import { isUnavailable } from '../storage/failure.ts'
import type { IssuedCertificate } from './certificate.ts'
import { type Asked, decideCertificates, type Decided, finishCertificate, type Needs } from './issue-certificates.ts'

/** Bounds how long one batch keeps the event loop, and the row that all serials come from. */
const MOST_DECIDED = 384
/** A large batch is signed and answered in parts: its first have their answers, and ask again, while the last are signed. */
const MOST_ANSWERED = 128

interface Waiting {
  asked: Asked
  resolve(issued: IssuedCertificate): void
  reject(error: unknown): void
}

export interface Issuer {
  issue(asked: Asked): Promise<IssuedCertificate>
  close(): Promise<void>
}

/**
 * Issues certificates in one batch after another: they would wait for the row of the serials anyway, each with a
 * transaction of its own in hand. Those that are asked for in the meantime are issued together. While one batch is signed,
 * the next is decided on.
 */
export function createIssuer(services: Needs, authority: Authority): Issuer {
  const signer = createSigner(authority.privateKey)
  const waiting: Waiting[] = []
  let busy = false
  let signing: Promise<void> = Promise.resolve()

  const serve = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_DECIDED)
      const asked = batch.map((each) => each.asked)
      try {
        const outcomes = await decideCertificates(services, authority, asked)
        await signing
        for (let at = 0; at < batch.length; at += MOST_ANSWERED) {
          const end = at + MOST_ANSWERED
          signing = answer(batch.slice(at, end), outcomes.slice(at, end))
        }
      } catch (error) {
        // Whoever has come meanwhile would wait as long again for the same database, to be told the same.
        const told = isUnavailable(error) ? [...batch, ...waiting.splice(0)] : batch
        for (const { reject } of told) reject(error)
      }
    }
    busy = false
  }

  /** All of a part at once: what is answered together comes back together. */
  const answer = async (batch: Waiting[], outcomes: (Decided | Error)[]): Promise<void> => {
    const decided = outcomes.filter((outcome): outcome is Decided => !(outcome instanceof Error))
    const signatures = (await signer.sign(decided.map(({ draft }) => draft.toSign))).values()
    outcomes.forEach((outcome, index) => {
      if (outcome instanceof Error) return batch[index]?.reject(outcome)
      const { value: signature } = signatures.next()
      return batch[index]?.resolve(finishCertificate(outcome, signature as Buffer))
    })
  }

  return {
    issue: (asked) =>
      new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject })
        // Whoever asks in the same turn of the event loop is taken along.
        if (!busy) {
          busy = true
          setImmediate(() => void serve())
        }
      }),
    close: () => signer.close(),
  }
}
