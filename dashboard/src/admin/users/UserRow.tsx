import { Badge, Checkbox, Group } from '@mantine/core'
import type { User } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PersonAvatar } from '../../ui/PersonAvatar.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row } from '../../ui/Rows.tsx'

type Props = { user: User; isSelected?: boolean; onSelect?: () => void }

export function UserRow({ user, isSelected = false, onSelect }: Props) {
  const texts = useTexts('admin').users
  const { list, states } = useTexts('people')
  const name = user.displayName ?? user.email
  return (
    <Row
      lead={
        <Group gap="sm" wrap="nowrap">
          {onSelect && <Checkbox aria-label={list.select(name)} checked={isSelected} onChange={onSelect} />}
          <PersonAvatar
            name={name}
            avatarUrl={user.avatarUrl}
            size={40}
            // On a phone there is no room for both.
            {...(onSelect ? { visibleFrom: 'xs' } : {})}
          />
        </Group>
      }
      title={
        <TextLink to={paths.adminUser} params={{ userId: user.id }} c="inherit" fw={550}>
          {name}
        </TextLink>
      }
      badge={
        <>
          {user.disabled_at !== null && (
            <Badge size="sm" color="red" variant="light">
              {states.disabled}
            </Badge>
          )}
          {user.disabled_at === null && user.lastLoginAt === null && (
            <Badge size="sm" color="brass" variant="light">
              {states.invited}
            </Badge>
          )}
          {user.roles
            .filter((role) => role.name !== 'user')
            .map((role) => (
              <Badge key={role.id} size="sm" variant="light">
                {role.name}
              </Badge>
            ))}
        </>
      }
      meta={
        <>
          {user.email} · {texts.lastLogin} {user.lastLoginAt ? <RelativeTime at={user.lastLoginAt} /> : texts.never}
        </>
      }
    />
  )
}
