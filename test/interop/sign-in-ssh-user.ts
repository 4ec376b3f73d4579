import type { TestApp } from '../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { ACCOUNT } from './openssh.ts'

/** A user who may get and revoke certificates for these UNIX accounts. */
export const signInSshUser = (app: TestApp, principals: string[] = [ACCOUNT]): Promise<SignedInPerson> =>
  signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue', 'ssh:cert:revoke'], principals })
