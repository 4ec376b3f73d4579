import assert from 'node:assert/strict'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import type { TestApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'
import type { Issued } from '../public-keys.ts'

/** Whether each is revoked, by the list that hosts fetch. */
export async function areRevoked(app: TestApp, ...issued: Issued[]): Promise<boolean[]> {
  const krl = readKrl((await anonymous(app).get('/ssh/krl?format=krl')).rawPayload)
  return issued.map(({ serial }) => isRevoked(krl, app.services.sshCa.blob, BigInt(serial)))
}

export const assertOk = async (answer: Promise<{ statusCode: number; body: string }>) => {
  const { statusCode, body } = await answer
  assert.equal(statusCode, 200, body)
}
