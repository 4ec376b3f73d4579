import { Text } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Section } from '../../ui/Section.tsx'
import { PermissionList } from '../roles/PermissionList.tsx'

export function PermissionsSection({ permissions }: { permissions: string[] }) {
  const texts = useTexts('people').permissions
  return (
    <Section title={texts.title} description={texts.description}>
      {permissions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : (
        <PermissionList permissions={permissions} />
      )}
    </Section>
  )
}
