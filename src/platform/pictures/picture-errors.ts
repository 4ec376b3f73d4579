import { defineErrors } from '../../errors.ts'

/** What can be wrong with an uploaded picture. */
export const pictureErrors = defineErrors({
  file_missing: ['invalid_input', 'The part "file" is missing or empty.'],
  file_too_large: ['body_too_large', 'The file is too large. At most 5 MB are accepted.'],
  not_a_picture: ['unsupported_media_type', 'The file is not a PNG, JPEG, WebP, GIF or AVIF image that can be read.'],
  not_multipart: ['unsupported_media_type', 'Send the image as multipart/form-data, in the part "file".'],
  one_file_only: ['invalid_input', 'Send exactly one part called "file".'],
  too_many_pixels: [
    'body_too_large',
    'The image has too many pixels. At most 40 megapixels and 500 frames are accepted.',
  ],
  upload_malformed: ['malformed_body', 'The body is not valid multipart/form-data.'],
})
