import { Button, Group, NativeSelect, Pill, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Section } from '../../ui/Section.tsx'
import { rolesQuery } from './user-queries.ts'

export function UserRolesSection({ user }: { user: User }) {
  const texts = useTexts('admin').userRoles
  const client = useQueryClient()
  const mayAssign = useMay()('roles:assign')
  const roles = useQuery(rolesQuery)
  const [chosen, setChosen] = useState('')
  const reload = () => client.invalidateQueries({ queryKey: ['admin', 'users'] })
  const path = { userId: user.id }
  const give = useMutation({
    mutationFn: (roleId: string) =>
      answer(api.POST('/api/admin/users/{userId}/roles', { params: { path }, body: { roleId } })),
    onSuccess: reload,
  })
  const take = useMutation({
    mutationFn: (roleId: string) =>
      answer(api.DELETE('/api/admin/users/{userId}/roles/{roleId}', { params: { path: { ...path, roleId } } })),
    onSuccess: reload,
  })
  const others = (roles.data?.roles ?? []).filter(({ id }) => !user.roles.some((role) => role.id === id))
  const next = others.some(({ id }) => id === chosen) ? chosen : (others[0]?.id ?? '')

  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <Group gap="xs">
          {user.roles.map((role) => (
            <Pill
              key={role.id}
              size="lg"
              withRemoveButton={mayAssign && role.name !== 'user'}
              removeButtonProps={{ 'aria-label': texts.remove(role.name), 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => take.mutate(role.id)}
            >
              {role.name}
            </Pill>
          ))}
        </Group>
        <FailureAlert failure={give.error ?? take.error} />
        {mayAssign && others.length > 0 && (
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label={texts.choose}
              data={others.map(({ id, name }) => ({ value: id, label: name }))}
              value={next}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
            <Button variant="default" loading={give.isPending} onClick={() => give.mutate(next)}>
              {texts.add}
            </Button>
          </Group>
        )}
        {mayAssign && roles.data && others.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.none}
          </Text>
        )}
      </Stack>
    </Section>
  )
}
