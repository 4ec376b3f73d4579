import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { DeleteUserSection } from './DeleteUserSection.tsx'
import { InvitationButton } from './InvitationButton.tsx'
import { LifecycleSection } from './LifecycleSection.tsx'
import { userQuery } from './user-queries.ts'
import { UserAttributesSection } from './UserAttributesSection.tsx'
import { UserDetailsSection } from './UserDetailsSection.tsx'
import { UserRolesSection } from './UserRolesSection.tsx'

export function UserPage() {
  const texts = useTexts('admin').users
  const may = useMay()
  const { userId } = useParams({ from: paths.adminUser })
  const query = useQuery(userQuery(userId))
  return (
    <>
      <TextLink to={paths.adminUsers} size="sm">
        ← {texts.back}
      </TextLink>
      <QueryView query={query}>
        {({ user, hasPassword }) => (
          <>
            <PageHeader
              title={user.displayName ?? user.email}
              description={
                <Group component="span" gap="xs">
                  {user.email}
                  {user.disabled_at !== null && (
                    <Badge component="span" color="red" variant="light">
                      {texts.disabled}
                    </Badge>
                  )}
                </Group>
              }
              actions={
                may('users:write') && !hasPassword && user.disabled_at === null && <InvitationButton userId={user.id} />
              }
            />
            <UserDetailsSection key={user.id} user={user} />
            <UserAttributesSection key={`attributes of ${user.id}`} user={user} />
            {may('roles:read') && <UserRolesSection user={user} />}
            {may('users:lifecycle') && <LifecycleSection user={user} />}
            {may('users:delete') && <DeleteUserSection user={user} />}
          </>
        )}
      </QueryView>
    </>
  )
}
