import { Alert, Checkbox, Text } from '@mantine/core'
import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { administering } from './permission-groups.ts'
import { PermissionList } from './PermissionList.tsx'

type Props = { roles: readonly Role[]; checked: boolean; onChange: (checked: boolean) => void }

/** What these roles let their holders administer, to be confirmed. Nothing, when they let them administer nothing. */
export function ConfirmAdministering({ roles, checked, onChange }: Props) {
  const texts = useTexts('people').roles
  const brought = [...new Set(roles.flatMap(({ permissions }) => administering(permissions)))]
  if (brought.length === 0) return null
  return (
    <Alert role="note" color="brass" variant="light" icon={<Icon name="shield" />}>
      <Text size="sm" fw={600} mb="xs">
        {texts.brings}
      </Text>
      <PermissionList permissions={brought} />
      <Checkbox
        mt="md"
        label={texts.confirm}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Alert>
  )
}
