import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { LifecyclePreview } from './LifecyclePreview.tsx'

export function DeleteUserSection({ user }: { user: User }) {
  const texts = useTexts('admin').deleteUser
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isConfirming, setIsConfirming] = useState(false)
  const name = user.displayName ?? user.email
  return (
    <Section title={texts.title} description={texts.description}>
      <Button variant="outline" color="red" onClick={() => setIsConfirming(true)}>
        {texts.open}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.confirmTitle(name)}
          confirm={texts.confirm}
          typed={{ label: texts.typed(user.email), value: user.email }}
          onClose={() => setIsConfirming(false)}
          action={async () => {
            await answer(api.DELETE('/api/admin/users/{userId}', { params: { path: { userId: user.id } } }))
            await navigate({ to: paths.adminUsers, replace: true })
            client.removeQueries({ queryKey: ['admin', 'users'] })
          }}
        >
          <LifecyclePreview userId={user.id}>{texts.text}</LifecyclePreview>
        </ConfirmDialog>
      )}
    </Section>
  )
}
