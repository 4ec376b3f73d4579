import { Avatar, Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { AvatarCropDialog } from './AvatarCropDialog.tsx'
import { useReloadProfile } from './profile-query.ts'
import { uploadAvatar } from './upload-avatar.ts'

const TYPES = 'image/png,image/jpeg,image/webp,image/gif,image/avif'

export function AvatarEditor({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const reload = useReloadProfile()
  const [chosen, setChosen] = useState<File>()
  const [percent, setPercent] = useState(0)
  const upload = useMutation({ mutationFn: (picture: Blob) => uploadAvatar(picture, setPercent), onSuccess: reload })
  const remove = useMutation({ mutationFn: () => answer(api.DELETE('/api/account/profile/avatar')), onSuccess: reload })

  return (
    <Stack>
      <Group gap="lg">
        <Avatar
          src={profile.avatarUrl}
          name={profile.displayName ?? profile.email}
          alt=""
          color="pine"
          size={88}
          radius={88}
        />
        <Group gap="sm">
          <FileButton accept={TYPES} onChange={(file) => file && setChosen(file)}>
            {(props) => (
              <Button variant="default" {...props}>
                {texts.choose}
              </Button>
            )}
          </FileButton>
          {profile.avatarUrl && (
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
        <AvatarCropDialog
          file={chosen}
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
