import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import { anonymous, type SignedInPerson } from '../../support/people.ts'
import { newPublicKey } from '../public-keys.ts'

export interface ShownHost {
  id: string
  name: string
  hostnames: string[]
  allowedRoles: string[] | null
  enrolledAt: number | null
  lastSeenAt: number | null
  krlVersion: string | null
  sshdVersion: string | null
  attention: { reason: string; since: number } | null
  current: boolean
  accounts: 'existing' | 'managed'
  conflicts: { name: string; uid: number }[]
  allows: { accounts: boolean; sudo: boolean } | null
}

export interface Created {
  host: ShownHost
  enrollmentToken: string
  command: string
}

export interface Enrolled {
  host: { id: string; name: string; hostnames: string[] }
  certificates: { certificate: string; serial: string; validAfter: number; validBefore: number }[]
  hostToken: string
}

let count = 0

export async function createHost(admin: SignedInPerson, content: object = {}): Promise<Created> {
  const number = ++count
  const made = await admin.post('/api/ssh/hosts', {
    name: `host ${number}`,
    hostnames: [`host${number}.example.com`],
    ...content,
  })
  assert.equal(made.statusCode, 201, made.body)
  return made.json<Created>()
}

export async function enroll(app: TestApp, token: string, ...publicKeys: string[]): Promise<Enrolled> {
  const body = { token, publicKeys: publicKeys.length > 0 ? publicKeys : [newPublicKey('root@host')] }
  const answer = await anonymous(app).post('/ssh/hosts/enroll', body)
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json<Enrolled>()
}

/** What a host sends with its token. */
export function hostWith(app: TestApp, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const host = anonymous(app)
  return {
    get: (url: string, more: Record<string, string> = {}) => host.get(url, undefined, { ...headers, ...more }),
    post: (url: string, body?: object) => host.post(url, body, headers),
  }
}
