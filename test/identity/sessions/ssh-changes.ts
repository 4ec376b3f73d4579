import { newPublicKey, issue, saveKey, signInCertificateUser } from '../../ssh/public-keys.ts'
import { newReportingHost, sessionOf } from '../../ssh/reports/reporting-host.ts'
import { signedInPerson } from '../../support/people.ts'
import { type ChangeTest, nextNumber, uniqueName, admin } from './held-back-change.ts'

const newHost = () => ({ name: uniqueName('host'), hostnames: [`host${nextNumber()}.example.com`] })
const createHost = async (): Promise<string> => (await admin.post('/api/ssh/hosts', newHost())).json().host.id

/** What is changed of SSH keys, certificates and hosts. */
export const SSH_CHANGES: Record<string, ChangeTest> = {
  'POST /api/ssh/keys': {
    permission: 'ssh:keys:manage',
    prepare: async () => ({ path: '/api/ssh/keys', body: { name: 'laptop', publicKey: newPublicKey() } }),
  },
  'DELETE /api/ssh/keys/{id}': {
    permission: 'ssh:keys:manage',
    prepare: async (_app, person) => ({ path: `/api/ssh/keys/${await saveKey(person)}` }),
  },
  'POST /api/ssh/certs/issue': {
    permission: 'ssh:cert:issue',
    prepare: async (_app, person) => ({ path: '/api/ssh/certs/issue', body: { savedKeyId: await saveKey(person) } }),
  },
  'POST /api/ssh/certs/{id}/revoke': {
    permission: 'ssh:cert:revoke',
    async prepare(app) {
      const other = await signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
      return { path: `/api/ssh/certs/${(await issue(other, await saveKey(other))).id}/revoke`, body: {} }
    },
  },
  'POST /api/ssh/hosts': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: '/api/ssh/hosts', body: newHost() }),
  },
  'PATCH /api/ssh/hosts/{id}': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}`, body: { name: uniqueName('renamed') } }),
  },
  'DELETE /api/ssh/hosts/{id}': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}` }),
  },
  'POST /api/ssh/hosts/{id}/enrollment': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}/enrollment`, body: {} }),
  },
  'POST /api/ssh/hosts/{id}/sessions/end': {
    permission: 'ssh:cert:revoke',
    async prepare(app) {
      const other = await signInCertificateUser(app)
      const certificate = await issue(other, await saveKey(other))
      const host = await newReportingHost(app, admin)
      await host.report({ sessions: [sessionOf(app, certificate, { account: other.user.preferredUsername })] })
      return { path: `/api/ssh/hosts/${host.id}/sessions/end`, body: { serial: certificate.serial } }
    },
  },
}
