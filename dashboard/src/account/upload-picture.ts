import { actingUserHeader } from '../api/acting-user.ts'
import { ApiFailure } from '../api/failure.ts'

/** Uploads with XMLHttpRequest, because fetch does not report the progress of an upload. */
export function uploadPicture(address: string, picture: Blob, onProgress: (percent: number) => void): Promise<void> {
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
