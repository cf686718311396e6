mv /srv/www/index.html /srv/index.html
