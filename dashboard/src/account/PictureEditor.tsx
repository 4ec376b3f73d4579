import { Alert, Box, Button, Group, Progress, Slider, Stack, Text } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { actingUserHeader } from '../api/acting-user.ts'
import { ApiFailure, hasCode } from '../api/failure.ts'
import { proveAgain } from '../api/prove-again.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ChooseFileButton } from '../ui/ChooseFileButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { type Crop, cropped, draw, VIEW, within } from './crop.ts'

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
  const upload = useSubmit((picture: Blob) => uploadProven(address, picture, setPercent), { reload: onChanged })
  const remove = useSubmit(onRemove, { reload: onChanged })

  return (
    <Stack>
      <Group gap="lg">
        {preview}
        <Group gap="sm">
          <ChooseFileButton accept={TYPES} onChosen={setChosen}>
            {texts.choose}
          </ChooseFileButton>
          {hasPicture && (
            <Button variant="subtle" color="red" loading={remove.busy} onClick={() => remove.run()}>
              {texts.removePicture}
            </Button>
          )}
        </Group>
      </Group>
      {upload.busy && (
        <Stack gap={4} role="status">
          <Text size="sm">{texts.uploading(percent)}</Text>
          <Progress value={percent} aria-label={texts.picture} />
        </Stack>
      )}
      <FailureAlert failure={upload.failure ?? remove.failure} />
      {chosen && (
        <CropDialog
          file={chosen}
          round={round}
          onClose={() => setChosen(undefined)}
          onCropped={(picture) => {
            setChosen(undefined)
            setPercent(0)
            upload.run(picture)
          }}
        />
      )}
    </Stack>
  )
}

type CropDialogProps = { file: File; round: boolean; onCropped: (picture: Blob) => void; onClose: () => void }

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-8, 0],
  ArrowRight: [8, 0],
  ArrowUp: [0, -8],
  ArrowDown: [0, 8],
}

function CropDialog({ file, round, onCropped, onClose }: CropDialogProps) {
  const texts = useTexts('account').profile
  const shared = useTexts('shared')
  const [picture, setPicture] = useState<ImageBitmap>()
  const [unreadable, setUnreadable] = useState(false)
  const [crop, setCrop] = useState<Crop>({ x: 0, y: 0, zoom: 1 })
  const canvas = useRef<HTMLCanvasElement>(null)

  useEffect(() => {
    let stale = false
    void createImageBitmap(file).then(
      (bitmap) => (stale ? bitmap.close() : setPicture(bitmap)),
      () => setUnreadable(true),
    )
    return () => {
      stale = true
    }
  }, [file])

  useEffect(() => {
    if (picture && canvas.current) draw(canvas.current, picture, crop)
  }, [picture, crop])

  const move = (dx: number, dy: number) =>
    picture && setCrop((before) => within(picture, { ...before, x: before.x + dx, y: before.y + dy }))
  function onPointerMove(event: PointerEvent) {
    if (event.buttons === 1) move(event.movementX, event.movementY)
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (!step) return
    event.preventDefault()
    move(...step)
  }

  return (
    <Dialog onClose={onClose} title={texts.crop} size={VIEW + 80}>
      <Stack align="center">
        {unreadable && (
          <Alert color="red" role="alert">
            {texts.unreadable}
          </Alert>
        )}
        <Box
          component="canvas"
          ref={canvas}
          width={VIEW * 2}
          height={VIEW * 2}
          w={VIEW}
          h={VIEW}
          tabIndex={0}
          role="application"
          aria-label={texts.cropHint}
          onPointerDown={(event: PointerEvent<HTMLCanvasElement>) =>
            event.currentTarget.setPointerCapture(event.pointerId)
          }
          onPointerMove={onPointerMove}
          onKeyDown={onKeyDown}
          style={{
            borderRadius: round ? '50%' : 'var(--mantine-radius-md)',
            cursor: 'grab',
            touchAction: 'none',
            background: 'var(--latchkey-ground)',
          }}
        />
        <Text size="sm" c="dimmed" ta="center">
          {texts.cropHint}
        </Text>
        <Slider
          w="100%"
          label={null}
          thumbLabel={texts.zoom}
          min={1}
          max={4}
          step={0.05}
          value={crop.zoom}
          onChange={(zoom) => picture && setCrop((before) => within(picture, { ...before, zoom }))}
        />
        <Group justify="flex-end" w="100%">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button disabled={!picture} onClick={() => picture && void cropped(picture, crop).then(onCropped)}>
            {texts.upload}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Asks who has the session where the server wants to know, and uploads once more. */
async function uploadProven(...upload: Parameters<typeof uploadPicture>): Promise<void> {
  try {
    await uploadPicture(...upload)
  } catch (failure) {
    if (!hasCode(failure, 'fresh_sign_in_needed') || !(await proveAgain(failure))) throw failure
    await uploadPicture(...upload)
  }
}

/** Uploads with XMLHttpRequest, because fetch does not report the progress of an upload. */
function uploadPicture(address: string, picture: Blob, onProgress: (percent: number) => void): Promise<void> {
  const form = new FormData()
  form.append('file', picture, 'picture')
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', address)
    for (const [name, value] of Object.entries(actingUserHeader('PUT'))) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(Math.round((loaded / total) * 100)))
    request.addEventListener('error', () => reject(new TypeError('The upload failed.')))
    request.addEventListener('load', () => {
      if (request.status < 300) return resolve()
      const requestId = request.getResponseHeader('X-Request-Id')
      const headers: HeadersInit = requestId ? { 'X-Request-Id': requestId } : {}
      const response = new Response(null, { status: request.status, statusText: request.statusText, headers })
      reject(new ApiFailure(response, parsed(request.responseText)))
    })
    request.send(form)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
