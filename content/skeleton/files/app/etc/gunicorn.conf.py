bind = "0.0.0.0:8000"
chdir = "/srv/guestbook"
wsgi_app = "guestbook:create_app()"
workers = 1
threads = 4
accesslog = "/var/log/guestbook/access.log"
errorlog = "/var/log/guestbook/error.log"
capture_output = True
