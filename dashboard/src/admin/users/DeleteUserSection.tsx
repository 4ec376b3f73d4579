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
import { WhatEnds } from './WhatEnds.tsx'

export function DeleteUserSection({ user }: { user: User }) {
  const texts = useTexts('admin').deleteUser
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const name = user.displayName ?? user.email
  return (
    <Section title={texts.title} description={texts.description}>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        {texts.open}
      </Button>
      {asking && (
        <ConfirmDialog
          title={texts.confirmTitle(name)}
          confirm={texts.confirm}
          typed={{ label: texts.typed(user.email), value: user.email }}
          onClose={() => setAsking(false)}
          action={async () => {
            await answer(api.DELETE('/api/admin/users/{userId}', { params: { path: { userId: user.id } } }))
            await navigate({ to: paths.adminUsers, replace: true })
            client.removeQueries({ queryKey: ['admin', 'users'] })
          }}
        >
          <WhatEnds userId={user.id}>{texts.text}</WhatEnds>
        </ConfirmDialog>
      )}
    </Section>
  )
}
