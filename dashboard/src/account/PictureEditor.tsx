import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ChooseFileButton } from '../ui/ChooseFileButton.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { CropDialog } from './CropDialog.tsx'
import { uploadPicture } from './upload-picture.ts'

const TYPES = 'image/png,image/jpeg,image/webp,image/gif,image/avif'

type Props = {
  preview: ReactNode
  hasPicture: boolean
  /** Shown as a circle, not as a square. */
  round?: boolean
  /** Where a new picture is put. */
  address: string
  onRemove: () => Promise<unknown>
  onChanged: () => Promise<unknown>
}

/** Replaces a square picture, such as an avatar or a logo, with a part of a file, or removes it. */
export function PictureEditor({ preview, hasPicture, round = false, address, onRemove, onChanged }: Props) {
  const texts = useTexts('account').profile
  const [chosen, setChosen] = useState<File>()
  const [percent, setPercent] = useState(0)
  const upload = useMutation({
    mutationFn: (picture: Blob) => uploadPicture(address, picture, setPercent),
    onSuccess: onChanged,
  })
  const remove = useMutation({ mutationFn: onRemove, onSuccess: onChanged })

  return (
    <Stack>
      <Group gap="lg">
        {preview}
        <Group gap="sm">
          <ChooseFileButton accept={TYPES} onChosen={setChosen}>
            {texts.choose}
          </ChooseFileButton>
          {hasPicture && (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {texts.removePicture}
            </Button>
          )}
        </Group>
      </Group>
      {upload.isPending && (
        <Stack gap={4} role="status">
          <Text size="sm">{texts.uploading(percent)}</Text>
          <Progress value={percent} aria-label={texts.picture} />
        </Stack>
      )}
      <FailureAlert failure={upload.error ?? remove.error} />
      {chosen && (
        <CropDialog
          file={chosen}
          round={round}
          onClose={() => setChosen(undefined)}
          onCropped={(picture) => {
            setChosen(undefined)
            setPercent(0)
            upload.mutate(picture)
          }}
        />
      )}
    </Stack>
  )
}
