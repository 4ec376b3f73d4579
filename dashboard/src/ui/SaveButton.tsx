import { Button, Group } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { SavedNote } from './SavedNote.tsx'

type Props = { save: { isPending: boolean; isSuccess: boolean }; disabled?: boolean }

/** Submits a form, and shows when it was saved. */
export function SaveButton({ save, disabled = false }: Props) {
  const texts = useTexts('shared')
  return (
    <Group>
      <Button type="submit" loading={save.isPending} disabled={disabled}>
        {texts.save}
      </Button>
      <SavedNote shown={save.isSuccess} />
    </Group>
  )
}
