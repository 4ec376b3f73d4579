import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { type AttributeProblem, type Attributes, attributeDrafts, attributesOf } from '../../lib/attribute-draft.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { AttributesInput } from '../../ui/AttributesInput.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'

export function UserAttributesSection({ user }: { user: User }) {
  const texts = useTexts('applications').attributes
  const client = useQueryClient()
  const mayWrite = useMay()('users:write')
  const [drafts, setDrafts] = useState(() => attributeDrafts(user.attributes))
  const [problems, setProblems] = useState<(AttributeProblem | undefined)[]>([])
  const save = useMutation({
    mutationFn: (attributes: Attributes) =>
      answer(api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: user.id } }, body: { attributes } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['admin', 'users'] }),
  })
  const touched = useTouched(save)
  return (
    <Section title={texts.title} description={texts.ofUser}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          const read = attributesOf(drafts)
          setProblems('problems' in read ? read.problems : [])
          if ('attributes' in read && !save.isPending) save.mutate(read.attributes)
        }}
      >
        <Stack>
          <AttributesInput
            value={drafts}
            problems={problems}
            readOnly={!mayWrite}
            onChange={(next) => {
              save.reset()
              setProblems([])
              setDrafts(next)
            }}
          />
          <FailureAlert failure={save.error} />
          {mayWrite && <SaveButton save={save} />}
        </Stack>
      </form>
    </Section>
  )
}
