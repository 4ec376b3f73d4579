import type { PermissionName } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { LinkButton } from '../ui/LinkButton.tsx'

export function NoPermissionPage({ permission }: { permission: PermissionName }) {
  const texts = useTexts('account').nav
  const { names } = useTexts('people').permissions
  const { toStart } = useTexts('shared')
  return (
    <EmptyState
      icon="lock"
      title={texts.noPermissionTitle}
      action={
        <LinkButton to={paths.account} variant="light">
          {toStart}
        </LinkButton>
      }
    >
      {texts.noPermission(names[permission])}
    </EmptyState>
  )
}
