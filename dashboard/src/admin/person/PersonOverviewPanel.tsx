import { Text } from '@mantine/core'
import type { UserDetails } from '../../api/shapes.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { DeleteUserSection } from './DeleteUserSection.tsx'
import { LifecycleSection } from './LifecycleSection.tsx'
import { UserAttributesSection } from './UserAttributesSection.tsx'
import { UserDetailsSection } from './UserDetailsSection.tsx'

export function PersonOverviewPanel({ details: { user } }: { details: UserDetails }) {
  const texts = useTexts('people')
  const may = useMay()
  const isSelf = useMe().user.id === user.id
  return (
    <>
      <UserDetailsSection user={user} />
      <UserAttributesSection user={user} />
      {may('users:lifecycle') && <LifecycleSection user={user} />}
      {may('users:delete') && !isSelf && <DeleteUserSection user={user} />}
      {isSelf && (
        <Text size="sm" c="dimmed" mt="md">
          {texts.self}
        </Text>
      )}
    </>
  )
}
