import type { Authority } from '../openssh/certificate.ts'
import type { IssuedCertificate } from './certificate.ts'
import { type Asked, issueCertificates, type Needs } from './issue-certificates.ts'

/** Bounds how long one batch keeps the event loop, and the row that all serials come from. */
const MOST_TOGETHER = 64

interface Waiting {
  asked: Asked
  resolve(issued: Promise<IssuedCertificate>): void
  reject(error: unknown): void
}

export type IssueCertificate = (userId: string, asked: Asked) => Promise<IssuedCertificate>

/**
 * Issues one certificate after another for the same person: they would wait for that person's row in the database
 * anyway, each with a connection in hand. Those that are asked for in the meantime are issued together.
 */
export function createIssuer(services: Needs, authority: Authority): IssueCertificate {
  const queues = new Map<string, Waiting[]>()

  const serve = async (userId: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, MOST_TOGETHER)
      try {
        const asked = batch.map((each) => each.asked)
        const outcomes = await issueCertificates(services, authority, userId, asked)
        outcomes.forEach((outcome, index) => {
          if (outcome instanceof Error) batch[index]?.reject(outcome)
          else batch[index]?.resolve(outcome)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(userId)
  }

  return (userId, asked) =>
    new Promise((resolve, reject) => {
      const waiting = { asked, resolve, reject }
      const queue = queues.get(userId)
      if (queue) {
        queue.push(waiting)
        return
      }
      const started = [waiting]
      queues.set(userId, started)
      void serve(userId, started)
    })
}
