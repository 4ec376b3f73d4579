import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { isRoleConfirmed, NO_ROLE, RoleToGive } from '../roles/RoleToGive.tsx'

type Props = { user: User; onClose: () => void; onDone: () => Promise<unknown> }

export function GiveRoleDialog({ user, onClose, onDone }: Props) {
  const texts = useTexts('people').roles
  const [chosen, setChosen] = useState(NO_ROLE)
  return (
    <FormDialog
      title={texts.giveTitle(user.displayName ?? user.email)}
      submit={texts.submit}
      disabled={!isRoleConfirmed(chosen)}
      onClose={onClose}
      action={async () => {
        if (!chosen.role) return
        const params = { path: { userId: user.id } }
        await answer(api.POST('/api/admin/users/{userId}/roles', { params, body: { roleId: chosen.role.id } }))
        await onDone()
      }}
    >
      <RoleToGive value={chosen} except={user.roles.map(({ id }) => id)} onChange={setChosen} />
    </FormDialog>
  )
}
