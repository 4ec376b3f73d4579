# A web application with Flask and Authlib, written as their documentation shows it.
import os
from urllib.parse import urlparse

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, jsonify, redirect, session
from requests import HTTPError

HOME = os.environ['HOME_URL']
app = Flask(__name__)
app.secret_key = 'only for a test'
client_kwargs = {'scope': 'openid profile email groups'}
if 'CODE_CHALLENGE_METHOD' in os.environ:
    client_kwargs['code_challenge_method'] = os.environ['CODE_CHALLENGE_METHOD']
latchkey = OAuth(app).register(
    'latchkey',
    server_metadata_url=os.environ['ISSUER'] + '/.well-known/openid-configuration',
    client_id=os.environ['CLIENT_ID'],
    client_secret=os.environ['CLIENT_SECRET'],
    client_kwargs=client_kwargs,
)


@app.route('/login')
def login():
    return latchkey.authorize_redirect(HOME + '/callback')


@app.route('/callback')
def callback():
    try:
        token = latchkey.authorize_access_token()
    except OAuthError as error:
        return error.description, 401
    session['sub'] = token['userinfo']['sub']
    session['token'] = {'access_token': token['access_token'], 'token_type': token['token_type']}
    return redirect('/')


@app.route('/')
def home():
    if 'token' not in session:
        return 'Nobody is signed in.', 401
    try:
        user = latchkey.userinfo(token=session['token'])
    except HTTPError:
        return 'The authorization has ended.', 401
    return jsonify(sub=session['sub'], email=user['email'], groups=user['groups'])


app.run(port=urlparse(HOME).port)
