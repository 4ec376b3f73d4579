import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { AppPassword } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { accessQuery } from '../users/user-queries.ts'

/** The app passwords of a person. Most people have none, and then there is nothing to show. */
export function AppPasswordsSection({ userId }: { userId: string }) {
  const texts = useTexts('sites').appPasswords
  const { never } = useTexts('shared')
  const client = useQueryClient()
  const may = useMay()
  const access = useQuery(accessQuery(userId))
  const [ending, setEnding] = useState<AppPassword>()
  const appPasswords = access.data?.appPasswords ?? []
  if (appPasswords.length === 0) return null
  return (
    <Section title={texts.title} flush>
      <Rows label={texts.title}>
        {appPasswords.map((each) => (
          <Row
            key={each.id}
            icon="key"
            title={each.name}
            meta={
              <>
                {texts.created} <RelativeTime at={each.createdAt} /> · {texts.lastUsed}{' '}
                {each.lastUsedAt ? <RelativeTime at={each.lastUsedAt} /> : never}
              </>
            }
            actions={
              may('users:lifecycle') && (
                <Button size="xs" variant="subtle" color="red" onClick={() => setEnding(each)}>
                  {texts.end}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {ending && (
        <ConfirmDialog
          title={texts.endTitle(ending.name)}
          confirm={texts.end}
          onClose={() => setEnding(undefined)}
          action={async () => {
            const params = { path: { userId, appPasswordId: ending.id } }
            await answer(api.DELETE('/api/admin/users/{userId}/app-passwords/{appPasswordId}', { params }))
            await client.invalidateQueries({ queryKey: ['admin'] })
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
