import { type APIRequestContext, expect } from '@playwright/test'
import { makeKey } from './ssh-key.ts'

/** After which a page of the dashboard reads again what hosts report. */
export const UNTIL_READ_AGAIN_MS = 5_000

type ReportingHost = {
  id: string
  name: string
  report: (body: object) => Promise<void>
  /** Reports that it uses the lists of this moment. */
  reportCurrent: (body: object) => Promise<void>
}
type Session = { serial: string; account: string; startedAt: number; sourceAddress: string }

/** A host that is enrolled, and reports what the test says. */
export async function enrolledHost(
  api: APIRequestContext,
  name: string,
  settings: object = {},
): Promise<ReportingHost> {
  const made = await api.post('/api/ssh/hosts', {
    data: { name, hostnames: [`${name.toLowerCase().replaceAll(' ', '-')}.example.com`], ...settings },
  })
  expect(made.status(), await made.text()).toBe(201)
  const { host, enrollmentToken } = (await made.json()) as { host: { id: string }; enrollmentToken: string }
  const { publicKey } = makeKey('root@host')
  const enrolled = await api.post('/ssh/hosts/enroll', { data: { token: enrollmentToken, publicKeys: [publicKey] } })
  const { hostToken } = (await enrolled.json()) as { hostToken: string }
  const headers = { authorization: `Bearer ${hostToken}` }
  const report = async (body: object) => {
    const answer = await api.post('/ssh/hosts/report', {
      headers,
      data: { krlVersion: 'none', sshdVersion: 'OpenSSH_10.0', ...body },
    })
    expect(answer.status(), await answer.text()).toBe(200)
  }
  const versionOf = async (path: string) => {
    const etag = (await api.get(path, { headers })).headers()['etag'] ?? ''
    return etag.replaceAll('"', '')
  }
  const reportCurrent = async (body: object) => {
    const krlVersion = await versionOf('/ssh/krl?format=krl')
    await report({ krlVersion, principalsVersion: await versionOf('/ssh/hosts/principals'), ...body })
  }
  return { id: host.id, name, report, reportCurrent }
}

/** What a host reports of a session that somebody has begun with a new certificate. */
export async function sessionOf(api: APIRequestContext, content: Partial<Session> = {}): Promise<Session> {
  const { publicKey } = makeKey('laptop')
  const saved = await api.post('/api/ssh/keys', { data: { name: 'laptop', publicKey } })
  const { key } = (await saved.json()) as { key: { id: string } }
  const issued = await api.post('/api/ssh/certs/issue', { data: { savedKeyId: key.id } })
  expect(issued.status(), await issued.text()).toBe(201)
  const { serial, principals } = (await issued.json()) as { serial: string; principals: string[] }
  const account = principals[0] ?? ''
  return { serial, account, startedAt: Date.now(), sourceAddress: '192.0.2.7', ...content }
}
