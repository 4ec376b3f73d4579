import type { AccessSubscriber } from '../../src/identity/access-events.ts'

const SILENT: AccessSubscriber['on'] = {
  account_ended: 'nothing',
  signed_out: 'nothing',
  sessions_ended: 'nothing',
  credential_changed: 'nothing',
  role_assigned: 'nothing',
  account_taken_over: 'nothing',
  addition_disowned: 'nothing',
  username_changed: 'nothing',
  attributes_changed: 'nothing',
  role_unassigned: 'nothing',
  role_renamed: 'nothing',
  role_deletion: 'nothing',
  role_reduced: 'nothing',
}

/** An area that does this about access, and nothing else. */
export const subscriber = (on: Partial<AccessSubscriber['on']>): AccessSubscriber => ({
  on: { ...SILENT, ...on },
  roleChangeCheck: undefined,
  roleLossCheck: undefined,
  tells: undefined,
})
