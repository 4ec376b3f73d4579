import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { accessDraft, allowedRolesOf } from './access-draft.ts'
import { ClientForm, useClientForm } from './ClientForm.tsx'
import { RoleChoice } from './RoleChoice.tsx'

type Props = { application: Client; mayWrite: boolean }

export function AccessForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').access
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: { allowedRoles: accessDraft(application.allowedRoles) },
    validate: ({ allowedRoles }) =>
      allowedRolesOf(allowedRoles) === undefined ? { 'allowedRoles.roleIds': texts.chooseRole } : {},
    changes: ({ allowedRoles }) => ({ allowedRoles: allowedRolesOf(allowedRoles) ?? null }),
  })
  return (
    <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
      <RoleChoice form={form} readOnly={!mayWrite} />
    </ClientForm>
  )
}
