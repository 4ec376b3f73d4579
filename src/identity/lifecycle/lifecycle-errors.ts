import { defineErrors } from '../../errors.ts'

export const lifecycleErrors = defineErrors({
  action_not_pending: ['conflict', 'Only a pending action can be cancelled; this one is {status}.'],
  action_not_plannable: ['invalid_input', '{action} can’t be planned.'],
  action_takes_no_reason: ['invalid_input', '{action} takes no reason.'],
  action_takes_no_role: ['invalid_input', '{action} takes no role.'],
  no_proof: ['not_found', 'There is no proof of this action.'],
  no_such_action: ['not_found', 'There is no such action.'],
  not_your_email: ['invalid_input', 'This is not the address of your account.'],
  own_account_not_deleted: ['conflict', "You can't delete your own account."],
  own_account_not_disabled: ['conflict', "You can't disable your own account."],
  own_action_not_cancelled: ['forbidden', 'Somebody else has to cancel what is planned for your account.'],
  own_action_not_planned: ['conflict', "You can't plan an action for your own account."],
  person_holds_more_than_planner: ['forbidden', 'This person now holds more than the user who planned it.'],
  planner_gone: ['forbidden', 'The user who planned it is disabled or deleted.'],
  planner_lost_permission: ['forbidden', 'The user who planned it no longer has the permission users:lifecycle.'],
  proof_not_complete: ['not_complete', 'Not everybody has been told yet.'],
  role_missing: ['invalid_input', 'Name the role.'],
  time_in_past: ['invalid_input', 'This time is in the past.'],
  time_in_seconds: ['invalid_input', 'This time is in the past. It looks like seconds; give milliseconds.'],
})
