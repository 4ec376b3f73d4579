import { useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { issueAt } from '../../lib/field-issue.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { accessDraft, allowedRolesOf } from './access-draft.ts'
import { ClientForm, useSaveClient } from './ClientForm.tsx'
import { RoleChoice } from './RoleChoice.tsx'

type Props = { application: Client; mayWrite: boolean }

export function AccessForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').access
  const save = useSaveClient(application.client_id)
  const [draft, setDraft] = useState(() => accessDraft(application.allowedRoles))
  const [isMissing, setIsMissing] = useState(false)
  return (
    <ClientForm
      title={texts.title}
      description={texts.description}
      save={save}
      fields={draft.who === 'roles' ? ['allowedRoles'] : []}
      mayWrite={mayWrite}
      onSubmit={() => {
        const allowedRoles = allowedRolesOf(draft)
        setIsMissing(allowedRoles === undefined)
        if (allowedRoles !== undefined) save.mutate({ allowedRoles })
      }}
    >
      <RoleChoice
        value={draft}
        error={isMissing ? texts.chooseRole : issueAt(save.error, 'allowedRoles')}
        readOnly={!mayWrite}
        onChange={(next) => {
          save.reset()
          setIsMissing(false)
          setDraft(next)
        }}
      />
    </ClientForm>
  )
}
