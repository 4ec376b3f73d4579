import assert from 'node:assert/strict'
import { bareTag } from '../../../src/ssh/hosts/host-lists.ts'
import type { SshSession } from '../../../src/ssh/reports/session-list-store.ts'
import type { TestApp } from '../../support/app.ts'
import type { SignedInPerson } from '../../support/people.ts'
import { createHost, enroll, hostWith } from '../hosts/managed-host.ts'
import type { Issued } from '../public-keys.ts'

interface Session {
  serial: string
  account: string
  startedAt: number
  sourceAddress: string
}

/** An enrolled host that reports what a test says, with the lists that it has fetched. */
export async function newReportingHost(app: TestApp, admin: SignedInPerson, content: object = {}) {
  const { host, enrollmentToken } = await createHost(admin, content)
  const { hostToken } = await enroll(app, enrollmentToken)
  const inForce = { krlVersion: 'none', principalsVersion: 'none' as string | undefined }
  const report = async (body: object, to = app) => {
    const answer = await hostWith(to, hostToken).post('/ssh/hosts/report', {
      ...inForce,
      sshdVersion: 'OpenSSH_10.0',
      ...body,
    })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const tagOf = async (path: string, from: TestApp) =>
    bareTag(String((await hostWith(from, hostToken).get(path)).headers['etag']))
  return {
    id: host.id,
    name: host.name,
    hostToken,
    report,
    fetchKrl: async (from = app) => (inForce.krlVersion = await tagOf('/ssh/krl?format=krl', from)),
    fetchPrincipals: async (from = app) => (inForce.principalsVersion = await tagOf('/ssh/hosts/principals', from)),
    /** Null where the host has not said who is there. */
    sessions: async () => {
      const shown = await admin.get(`/api/ssh/hosts/${host.id}`)
      assert.equal(shown.statusCode, 200, shown.body)
      return shown.json<{ sshSessions: SshSession[] | null }>().sshSessions
    },
  }
}

/** A session that began with this certificate. */
export const sessionOf = (
  app: TestApp,
  { serial }: Pick<Issued, 'serial'>,
  content: Partial<Session> = {},
): Session => ({
  serial,
  account: 'deploy',
  startedAt: app.clock.now(),
  sourceAddress: '192.0.2.7',
  ...content,
})

export const endOf = ({ serial, account }: Session, at: number) => ({ serial, account, at })
